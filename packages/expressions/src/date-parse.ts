import type { Field } from './date-fields.ts';
import { piecesOf } from './date-pieces.ts';
import { isReal, type PlainDate } from './dates.ts';

/** The fields that a text can be read by, and the digits that they have. */
const DIGITS: Readonly<Partial<Record<Field, string>>> = {
  year: '\\d{4}',
  year2: '\\d\\d',
  month: '\\d\\d?',
  day: '\\d\\d?',
  hour: '\\d\\d?',
  minute: '\\d\\d?',
  second: '\\d\\d?',
};

/** Reads a date in digits by a pattern such as `DD/MM/YYYY`. Undefined if the text or the pattern does not fit. */
export function parseDate(text: string, pattern: string): PlainDate | undefined {
  const fields: Field[] = [];
  let source = '';
  for (const piece of piecesOf(pattern) ?? []) {
    const digits = typeof piece === 'string' ? undefined : DIGITS[piece.field];
    if (typeof piece === 'string') source += piece.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
    else if (digits === undefined) return undefined;
    else {
      fields.push(piece.field);
      // Fields that touch, as in YYYYMMDD, have all of their digits.
      source += `(${piece.digits === 2 ? '\\d\\d' : digits})`;
    }
  }
  const match = new RegExp(`^${source}$`).exec(text.trim());
  if (match === null || fields.length === 0) return undefined;
  const read = (field: Field) => Number(match[fields.indexOf(field) + 1]);
  const value = (field: Field, otherwise: number) => (fields.includes(field) ? read(field) : otherwise);
  const hasDay = fields.includes('year') || fields.includes('year2');
  const date: PlainDate = {
    year: value('year', fields.includes('year2') ? 2000 + read('year2') : 1970),
    month: value('month', 1),
    day: value('day', 1),
    hour: value('hour', 0),
    minute: value('minute', 0),
    second: value('second', 0),
    millisecond: 0,
    has: !hasDay ? 'time' : fields.includes('hour') ? 'both' : 'date',
    offset: undefined,
  };
  return isReal(date) ? date : undefined;
}
