import { readFileSync } from 'node:fs';
import { LETTERS, type LetterData, type LetterKind } from './business-letters.ts';
import { contractWith, paragraph, row, run, table } from './letters.ts';

const WORDS = 'vellum ink of oak gall quills gold leaf a lectern wax pumice parchment boards'.split(' ');
const COLUMNS = ['number', 'article', 'amount', 'price', 'total'];

/** A letter without a loop: its marks stand in text, in a table and in the header. */
const plainLetter: LetterKind = {
  name: 'marks in text, 1 page',
  pages: 1,
  template: contractWith(
    [
      ...['{customer}', '{street}', '{city}', 'Order {number} of {date}', 'Dear {customer},'].map(line),
      line('thank you for your order {number}. We deliver to {street}, {city}, until {due}.'),
      table(['number', 'date', 'sum'], row(['{number}', '{date}', '{sum}'])),
      ...['The sum is {sum}, payable until {due}.', 'Yours sincerely,', '{agent}'].map(line),
    ],
    { clauses: 3, header: 'Order {number}' },
  ),
  data: () => kindOf('1 page').data(),
};

/** The same numbers for each run. */
let state = 7;
const random = (below: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return Math.floor((state / 2_147_483_648) * below);
};
const words = (count: number): string =>
  Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(' ');

/** Invoices with a number of lines between these, in random order. */
const invoice = (from: number, to: number): LetterKind => ({
  name: from === to ? `${from} equal lines` : `${from}–${to} lines`,
  pages: 0,
  template: contractWith(
    [
      ...['{customer}', '{street}', '{city}', 'Invoice {number} of {date}'].map(line),
      table(
        COLUMNS,
        row(
          COLUMNS.map(
            (column, at) => `${at === 0 ? '{#items}' : ''}{${column}}${at === 4 ? '{/items}' : ''}`,
          ),
        ) + row(['Total', '', '', '', '{sum}']),
      ),
      ...['Please name {number} when you pay {sum} until {due}.', '{agent}'].map(line),
    ],
    { clauses: 0, header: 'Invoice {number}' },
  ),
  data() {
    const data = letterData();
    const count = from + random(to - from + 1);
    const items = Array.from({ length: count }, (_, at) => itemOf(data, at));
    return { ...data, items };
  },
});

/** Four paragraphs of which each letter has some. */
const optionalTexts: LetterKind = {
  name: 'four optional texts',
  pages: 1,
  template: contractWith(
    [
      line('{customer}'),
      ...[1, 2, 3, 4].flatMap((at) => [`{#o${at}}`, `${at}. As agreed, {o${at}}.`, `{/o${at}}`].map(line)),
      line('{agent}'),
    ],
    { clauses: 3, header: 'Order {number}' },
  ),
  data: () => ({
    ...letterData(),
    ...Object.fromEntries(
      [1, 2, 3, 4].filter(() => random(2) === 1).map((at) => [`o${at}`, words(6 + random(12))]),
    ),
  }),
};

/** Addresses and remarks of several lines. */
const lineEnds: LetterKind = {
  name: 'line ends',
  pages: 1,
  template: contractWith(
    ['{address}', 'Order {number} of {date}', 'Remarks: {remarks}. End of remarks.', '{agent}'].map(line),
    { clauses: 3, header: 'Order {number}' },
  ),
  data: () => ({
    ...letterData(),
    address: Array.from({ length: 2 + random(3) }, () => words(2)).join('\n'),
    remarks: Array.from({ length: 1 + random(3) }, () => words(8)).join('\n'),
  }),
};

/** The sample of the service, whose content controls `data` fills. */
const sample: LetterKind = {
  name: 'sample template with data',
  pages: 1,
  template: readFileSync(new URL('../services/gateway/assets/sample-template.docx', import.meta.url)),
  data() {
    const { customer, number } = letterData();
    const data: Partial<LetterData> = { customer_name: customer, order_number: number };
    return data as LetterData;
  },
};

function letterData(): LetterData {
  return kindOf('1 page').data();
}

function itemOf({ items }: LetterData, at: number): LetterData['items'][number] {
  const [first] = items;
  if (first === undefined) throw new Error('a letter has no item');
  return { ...(items[at % items.length] ?? first), number: String(at + 1) };
}

function line(text: string): string {
  return paragraph(run(text));
}

function kindOf(name: string): LetterKind {
  const kind = LETTERS.find((letter) => letter.name === name);
  if (kind === undefined) throw new Error(`there is no letter ${name}`);
  return kind;
}

/** The templates of the batches. */
export const BATCH_KINDS: readonly LetterKind[] = [
  plainLetter,
  ...LETTERS,
  invoice(1, 60),
  invoice(1, 15),
  invoice(5, 5),
  optionalTexts,
  lineEnds,
  sample,
];
