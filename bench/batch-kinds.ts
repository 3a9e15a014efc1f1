import { LETTERS, type LetterKind } from './business-letters.ts';
import { contractWith, paragraph, row, run, table } from './letters.ts';

const COLUMNS = ['number', 'article', 'amount', 'price', 'total'];
const ROWS_MAX = 69;

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

let made = 0;

/** Tables of 1 to 69 rows, on one to three pages. */
const tables: LetterKind = {
  name: 'tables of 1–69 rows',
  pages: 0,
  template: contractWith(
    [
      line('{customer}'),
      table(
        COLUMNS,
        row(
          COLUMNS.map(
            (column, at) => `${at === 0 ? '{#items}' : ''}{${column}}${at === 4 ? '{/items}' : ''}`,
          ),
        ),
      ),
      line('The sum is {sum}.'),
    ],
    { clauses: 0, header: 'Order {number}' },
  ),
  data() {
    const { items, ...data } = kindOf('1 page').data();
    const count = 1 + (made++ % ROWS_MAX);
    return {
      ...data,
      items: Array.from({ length: count }, (_, at) => ({
        ...items[at % items.length],
        number: String(at + 1),
      })),
    } as ReturnType<LetterKind['data']>;
  },
};

function line(text: string): string {
  return paragraph(run(text));
}

function kindOf(name: string): LetterKind {
  const kind = LETTERS.find((letter) => letter.name === name);
  if (kind === undefined) throw new Error(`there is no letter ${name}`);
  return kind;
}

/** The templates of the batches. */
export const BATCH_KINDS: readonly LetterKind[] = [plainLetter, ...LETTERS, tables];
