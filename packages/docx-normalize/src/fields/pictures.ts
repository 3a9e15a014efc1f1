import { numberIn, roundTo } from './formula.ts';
import type { Words } from './instruction.ts';
import { inCase, numberAs } from './number-words.ts';

/** How the document writes numbers and dates. */
export interface Conventions {
  /** Language tag: `de-DE`. */
  language: string;
  decimal: string;
}

const DATE_PIECE = /'([^']*)'|am\/pm|d{1,4}|M{1,4}|y{1,4}|h{1,2}|H{1,2}|m{1,2}|s{1,2}|./gisu;

/** A moment in the numbers of its time zone. */
interface Moment {
  date: Date;
  hours: number;
  words: (part: 'month' | 'weekday', style: 'long' | 'short') => string;
}

const two = (value: number): string => String(value).padStart(2, '0');

function datePiece(piece: string, { date, hours, words }: Moment): string {
  const [day, month, year] = [date.getUTCDate(), date.getUTCMonth() + 1, String(date.getUTCFullYear())];
  if (/^am\/pm$/i.test(piece)) return hours < 12 ? 'AM' : 'PM';
  switch (piece) {
    case 'M':
    case 'MM':
      return piece === 'M' ? String(month) : two(month);
    case 'MMM':
    case 'MMMM':
      return words('month', piece === 'MMM' ? 'short' : 'long');
  }
  const [minutes, seconds] = [date.getUTCMinutes(), date.getUTCSeconds()];
  const twelve = hours % 12 === 0 ? 12 : hours % 12;
  switch (piece.replace(/^H+$/, (all) => `2${all}`).toLowerCase()) {
    case 'd':
      return String(day);
    case 'dd':
      return two(day);
    case 'ddd':
    case 'dddd':
      return words('weekday', piece.length === 3 ? 'short' : 'long');
    case 'y':
    case 'yy':
      return year.slice(-2);
    case 'yyy':
    case 'yyyy':
      return year;
    case 'h':
      return String(twelve);
    case 'hh':
      return two(twelve);
    case '2h':
      return String(hours);
    case '2hh':
      return two(hours);
    case 'm':
      return String(minutes);
    case 'mm':
      return two(minutes);
    case 's':
      return String(seconds);
    case 'ss':
      return two(seconds);
    default:
      return piece;
  }
}

/** Formats a moment, in UTC, by the picture of `\@` (ECMA-376-1 §17.16.4.1). */
export function formatDate(date: Date, picture: string, { language }: Conventions): string {
  const words: Moment['words'] = (part, style) =>
    new Intl.DateTimeFormat(language, { [part]: style, timeZone: 'UTC', ...inContext(part) })
      .formatToParts(date)
      .find(({ type }) => type === part)?.value ?? '';
  const moment = { date, hours: date.getUTCHours(), words };
  return [...picture.matchAll(DATE_PIECE)]
    .map(([piece, literal]) => literal ?? datePiece(piece, moment))
    .join('');
}

/** Languages with cases write the month after a day in another case than alone. */
const inContext = (part: 'month' | 'weekday') => (part === 'month' ? ({ day: 'numeric' } as const) : {});

/** Formats a moment as Word does without a picture: the short date of the language, and the time if wanted. */
export function formatShort(date: Date, { language }: Conventions, withTime: boolean): string {
  const time = withTime ? ({ timeStyle: 'medium' } as const) : {};
  return new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  })
    .format(date)
    .concat(
      withTime ? ` ${new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...time }).format(date)}` : '',
    );
}

const DIGITS = /[#0x][#0x.,'\u00a0\u202f ]*(?<=[#0x])/i;
const DECIMALS_MAX = 15;
/** Far longer than any number. */
const PICTURE_CHARS_MAX = 255;

/** Formats a number by the picture of `\#` (ECMA-376-1 §17.16.4.2). Undefined for a picture that is not understood. */
function formatNumber(value: number, picture: string, { decimal }: Conventions): string | undefined {
  if (picture.length > PICTURE_CHARS_MAX) return undefined;
  const sections = picture.split(';');
  const own = value > 0 ? 0 : value < 0 ? 1 : 2;
  const section = sections[own] ?? sections[0] ?? '';
  const [digits] = DIGITS.exec(section) ?? [];
  if (digits === undefined) return section.replaceAll("'", '');
  if (/x|`/i.test(section)) return undefined;
  const group = decimal === ',' ? '.' : ',';
  const point = digits.lastIndexOf(decimal);
  const whole = point === -1 ? digits : digits.slice(0, point);
  const fraction = point === -1 ? '' : digits.slice(point + 1);
  if (fraction.length > DECIMALS_MAX || /[^#0]/.test(fraction)) return undefined;
  const rounded = roundTo(Math.abs(value), fraction.length);
  const [units = '0', decimals = ''] = rounded.toFixed(fraction.length).split('.');
  const least = whole.replaceAll(/[^#0]/g, '');
  const width = least.includes('0') ? least.length - least.indexOf('0') : 0;
  const blanks = ' '.repeat(Math.max(0, least.length - Math.max(units.length, width)));
  const text = units.padStart(width, '0');
  const grouped = whole.includes(group) ? text.replaceAll(/\B(?=(?:\d{3})+$)/g, group) : text;
  const shown = trimmedTo(fraction, decimals);
  const sign = value < 0 && sections.length === 1 && rounded !== 0 ? '-' : '';
  const number = `${sign}${least.length > width && blanks ? blanks : ''}${grouped}${shown === '' ? '' : decimal + shown}`;
  return section.replace(digits, () => number).replaceAll("'", '');
}

/** Digits for `#` at the end are shown only if they are not zero. */
function trimmedTo(fraction: string, decimals: string): string {
  const least = fraction.lastIndexOf('0') + 1;
  let end = decimals.length;
  while (end > least && decimals[end - 1] === '0') end--;
  return decimals.slice(0, end);
}

/** A number as a field shows it, before `\*`. Undefined for a picture that is not understood. */
export function numeral(
  value: number,
  { switches, formats }: Words,
  conventions: Conventions,
): string | undefined {
  const picture = switches.get('#');
  if (picture !== undefined) return formatNumber(value, picture, conventions);
  const rounded = formats.some((format) => format === 'dollartext') ? value : roundTo(value, 2);
  return String(rounded).replace('.', conventions.decimal);
}

/** A text, or the number in it if the field has a picture for numbers. */
export function numericText(text: string, { switches }: Words, conventions: Conventions): string | undefined {
  const picture = switches.get('#');
  const value = picture === undefined ? undefined : numberIn(text, conventions.decimal);
  return picture === undefined || value === undefined ? text : formatNumber(value, picture, conventions);
}

/** Applies one value of `\*`, in lower case and as written. Undefined for words in another language than English. */
export function formatted(
  text: string,
  format: string,
  written: string,
  { language, decimal }: Conventions,
): string | undefined {
  if (format === 'mergeformat' || format === 'charformat') return text;
  const cased = inCase(format, text);
  if (['upper', 'lower', 'firstcap', 'caps'].includes(format)) return cased;
  const value = numberIn(text, decimal);
  if (value === undefined || Number.isNaN(value)) return text;
  if (/text$|^ordinal$/.test(format) && !language.startsWith('en')) return undefined;
  return numberAs(format, value, /^[A-Z]/.test(written));
}
