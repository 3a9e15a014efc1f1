import { type Field, type Piece, STYLES } from './date-fields.ts';
import { piecesOf } from './date-pieces.ts';
import { clockTime, type PlainDate } from './dates.ts';

/**
 * Formats a date by a pattern of Word or CLDR (`dd.MM.yyyy`), moment (`DD.MM.YYYY`) or strftime (`%d.%m.%Y`), or a
 * named form (`short`, `long`, moment's `LL`). Undefined if the pattern has a field that is not known.
 */
export function formatDate(date: PlainDate, pattern: string, locale: string): string | undefined {
  if (Object.hasOwn(STYLES, pattern)) return format(locale, STYLES[pattern] ?? {}).format(clockTime(date));
  const pieces = piecesOf(pattern);
  return pieces === undefined ? undefined : shown(pieces, date, locale);
}

/** As formatDate, by a picture of Word only. Letters without a meaning stay. */
export function formatPicture(date: PlainDate, picture: string, locale: string): string {
  return shown(piecesOf(picture, true) ?? [], date, locale);
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

function shown(pieces: readonly Piece[], date: PlainDate, locale: string): string {
  // In many languages a month has another form after a day: “5 marca” but “marzec”.
  const hasDay = pieces.some(
    (piece) => typeof piece === 'object' && (piece.field === 'day' || piece.field === 'ordinal'),
  );
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : fieldOf(piece, date, locale, hasDay)))
    .join('');
}

function fieldOf(
  { field, digits }: Exclude<Piece, string>,
  date: PlainDate,
  locale: string,
  hasDay: boolean,
): string {
  switch (field) {
    case 'monthName':
    case 'monthShort':
    case 'weekdayName':
    case 'weekdayShort':
      return nameOf(field, date, locale, hasDay);
    case 'AMPM':
      return date.hour < 12 ? 'AM' : 'PM';
    case 'ampm':
      return date.hour < 12 ? 'am' : 'pm';
    case 'ordinal':
      return `${date.day}${locale.startsWith('en') ? englishOrdinal(date.day) : '.'}`;
    case 'offset':
    case 'offsetColon': {
      if (date.offset === undefined) return '';
      const minutes = Math.abs(date.offset);
      const sign = date.offset < 0 ? '-' : '+';
      return `${sign}${pad(Math.trunc(minutes / 60), 2)}${field === 'offset' ? '' : ':'}${pad(minutes % 60, 2)}`;
    }
    case 'millisecond':
      return pad(date.millisecond, 3).padEnd(digits, '0');
    default:
      return pad(numberIn(field, date), digits);
  }
}

type NumberField = Exclude<
  Field,
  | 'monthName'
  | 'monthShort'
  | 'weekdayName'
  | 'weekdayShort'
  | 'AMPM'
  | 'ampm'
  | 'ordinal'
  | 'offset'
  | 'offsetColon'
  | 'millisecond'
>;

function numberIn(field: NumberField, date: PlainDate): number {
  switch (field) {
    case 'year2':
      return date.year % 100;
    case 'hour12':
      return date.hour % 12 || 12;
    case 'quarter':
      return Math.ceil(date.month / 3);
    case 'weekday':
      return new Date(clockTime(date)).getUTCDay();
    case 'dayOfYear':
      return dayOfYear(date);
    case 'week':
      return isoWeek(date);
    default:
      return date[field];
  }
}

const DAY = 86_400_000;

function dayOfYear(date: PlainDate): number {
  return Math.floor((clockTime(date) - clockTime({ ...date, month: 1, day: 1 })) / DAY) + 1;
}

/** The week of ISO 8601: the first one has the first Thursday of the year. */
function isoWeek(date: PlainDate): number {
  const weekday = new Date(clockTime(date)).getUTCDay() || 7;
  const thursday = new Date(clockTime(date) + (4 - weekday) * DAY);
  const start = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  return Math.floor((thursday.getTime() - start) / DAY / 7) + 1;
}

function englishOrdinal(day: number): string {
  if (day > 10 && day < 14) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

type NameField = 'monthName' | 'monthShort' | 'weekdayName' | 'weekdayShort';

const NAMES_MAX = 1000;
/** Asking Intl for a name takes ten times as long as looking it up. */
const names = new Map<string, string>();

function nameOf(field: NameField, date: PlainDate, locale: string, hasDay: boolean): string {
  const isMonth = field === 'monthName' || field === 'monthShort';
  const width = field === 'monthName' || field === 'weekdayName' ? 'long' : 'short';
  const index = isMonth ? date.month : numberIn('weekday', date);
  const key = `${locale} ${field} ${index} ${hasDay}`;
  const known = names.get(key);
  if (known !== undefined) return known;
  const day = hasDay ? ({ day: 'numeric' } as const) : {};
  const parts = isMonth
    ? format(locale, { month: width, ...day }).formatToParts(clockTime(date))
    : format(locale, { weekday: width }).formatToParts(clockTime(date));
  const name = parts.find(({ type }) => type === (isMonth ? 'month' : 'weekday'))?.value ?? '';
  if (names.size >= NAMES_MAX) names.clear();
  names.set(key, name);
  return name;
}

const FORMATS_MAX = 300;
/** Creating a formatter of Intl takes a thousand times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${Object.entries(options).flat().join(' ')}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  if (formats.size >= FORMATS_MAX) formats.clear();
  const created = newFormat(locale, { ...options, timeZone: 'UTC', calendar: 'gregory' });
  formats.set(key, created);
  return created;
}

/** Documents name languages that do not exist. Their dates are in English. */
function newFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, options);
  } catch {
    return new Intl.DateTimeFormat('en-US', options);
  }
}
