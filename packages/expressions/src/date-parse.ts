import type { Field, Piece } from './date-fields.ts';
import { piecesOf } from './date-pieces.ts';
import { isReal, type PlainDate } from './dates.ts';

/** The fields that a text can be read by, with the fewest and the most digits that they have. */
const DIGITS: Readonly<Partial<Record<Field, readonly [least: number, most: number]>>> = {
  year: [4, 4],
  year2: [2, 2],
  month: [1, 2],
  day: [1, 2],
  hour: [1, 2],
  minute: [1, 2],
  second: [1, 2],
};

/**
 * Reads a date in digits by a pattern such as `DD/MM/YYYY`, from left to right. Undefined if the text or the pattern
 * does not fit, or if the pattern has a field twice.
 */
export function parseDate(text: string, pattern: string): PlainDate | undefined {
  const values = valuesOf(text.trim(), piecesOf(pattern) ?? []);
  if (values === undefined || values.size === 0) return undefined;
  const year2 = values.get('year2');
  const hasDay = values.has('year') || year2 !== undefined;
  const date: PlainDate = {
    year: values.get('year') ?? (year2 === undefined ? 1970 : 2000 + year2),
    month: values.get('month') ?? 1,
    day: values.get('day') ?? 1,
    hour: values.get('hour') ?? 0,
    minute: values.get('minute') ?? 0,
    second: values.get('second') ?? 0,
    millisecond: 0,
    has: !hasDay ? 'time' : values.has('hour') ? 'both' : 'date',
    offset: undefined,
  };
  return isReal(date) ? date : undefined;
}

function valuesOf(text: string, pieces: readonly Piece[]): ReadonlyMap<Field, number> | undefined {
  const values = new Map<Field, number>();
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === 'string') {
      if (!text.startsWith(piece, at)) return undefined;
      at += piece.length;
      continue;
    }
    const [least, most] = digitsOf(piece);
    // What the fields that touch this one need is left to them: `Hmm` reads 930 as 9:30.
    const length = Math.min(most, digitsAt(text, at) - neededAfter(pieces, index));
    if (values.has(piece.field) || !(length >= least)) return undefined;
    values.set(piece.field, Number(text.slice(at, at + length)));
    at += length;
  }
  return at === text.length ? values : undefined;
}

function digitsOf(piece: Piece): readonly [least: number, most: number] {
  const known = typeof piece === 'string' ? undefined : DIGITS[piece.field];
  if (typeof piece === 'string' || known === undefined) return [Number.NaN, Number.NaN];
  return piece.digits === 2 ? [2, 2] : known;
}

/** More digits do not belong to a date. */
const DIGITS_MAX = 16;

function digitsAt(text: string, at: number): number {
  let end = at;
  while (end - at < DIGITS_MAX && text.charAt(end) >= '0' && text.charAt(end) <= '9') end++;
  return end - at;
}

function neededAfter(pieces: readonly Piece[], index: number): number {
  let needed = 0;
  for (let next = index + 1; typeof pieces[next] === 'object'; next++)
    needed += digitsOf(pieces[next] ?? '')[0];
  return needed;
}
