import { contractWith, paragraph, row, run, table } from './letters.ts';

/** A template, and data for it, of which no two are equal. */
export interface LetterKind {
  name: string;
  template: Buffer;
  pages: number;
  data(): LetterData;
}

interface Item {
  number: string;
  article: string;
  amount: string;
  price: string;
  total: string;
}

export interface LetterData {
  number: string;
  customer: string;
  items: Item[];
  [name: string]: string | Item[];
}

const COLUMNS = ['number', 'article', 'amount', 'price', 'total'];
const ITEMS = 5;
const MORE_FIELDS = 12;
const ARTICLES = ['vellum', 'ink of oak gall', 'quills', 'gold leaf', 'a lectern', 'wax', 'pumice'];
const FIRST = ['Ada', 'Béla', 'Chiara', 'Dilek', 'Emil', 'Fatima', 'Gustav', 'Hana'];
const LAST = ['Lovelace', 'Bartók', 'Rossi', 'Yılmaz', 'Noether', 'Haddad', 'Mahler', 'Novák'];

const line = (text: string) => paragraph(run(text));
const HEAD = [
  '{customer}',
  '{street}',
  '{city}',
  'Order {number} of {date}',
  'Dear {customer},',
  'thank you for your order {number}. We deliver the following to {street}, {city}, until {due}.',
].map(line);
const ITEM_ROW = row(
  COLUMNS.map((column, place) => {
    const start = place === 0 ? '{#items}' : '';
    return `${start}{${column}}${place === COLUMNS.length - 1 ? '{/items}' : ''}`;
  }),
);
const CLOSING = [
  'The sum is {sum}, payable until {due}. Please name {number} when you pay.',
  'Yours sincerely,',
  '{agent}',
].map(line);
const moreNames = Array.from({ length: MORE_FIELDS }, (_, place) => `term_${place + 1}`);
const MORE = moreNames.map((name) => line(`As agreed with {customer}: {${name}}.`));

let made = 0;

function dataOf(more: readonly string[]): LetterData {
  const count = ++made;
  const pick = (list: readonly string[], step: number) => list[(count * step) % list.length] ?? '';
  const items = Array.from({ length: ITEMS }, (_, place) => {
    const [amount, price] = [1 + ((count * 7 + place) % 40), 3 + ((count * 13 + place * 5) % 90)];
    return {
      number: `${count}-${place + 1}`,
      article: pick(ARTICLES, place + 1),
      amount: String(amount),
      price: price.toFixed(2),
      total: (amount * price).toFixed(2),
    };
  });
  const day = (offset: number) =>
    new Date(Date.UTC(2026, 0, 1 + ((count + offset) % 365))).toISOString().slice(0, 10);
  return {
    number: `A-${String(count).padStart(7, '0')}`,
    customer: `${pick(FIRST, 1)} ${pick(LAST, 3)} ${count}`,
    street: `${1 + (count % 200)} Mill Lane`,
    city: `${10_000 + ((count * 37) % 89_999)} Fabriano`,
    date: day(0),
    due: day(30),
    agent: pick(LAST, 5),
    sum: items.reduce((sum, { total }) => sum + Number(total), 0).toFixed(2),
    items,
    ...Object.fromEntries(more.map((name, place) => [name, `${count % 97} days, rule ${place + 1}`])),
  };
}

/** Letters in the language of docxtemplater, which this service reads as well. */
export const LETTERS: LetterKind[] = [
  {
    name: '1 page',
    pages: 1,
    template: contractWith([...HEAD, table(COLUMNS, ITEM_ROW), ...CLOSING], {
      clauses: 3,
      header: 'Order {number}',
    }),
    data: () => dataOf([]),
  },
  {
    name: '10 pages',
    pages: 10,
    template: contractWith([...HEAD, table(COLUMNS, ITEM_ROW), ...MORE, ...CLOSING], {
      clauses: 88,
      header: 'Order {number}',
    }),
    data: () => dataOf(moreNames),
  },
];
