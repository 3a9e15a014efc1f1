/** A date and time as written, without a time zone. */
export interface PlainDate {
  year: number;
  /** 1–12. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
/** Maximum length of a displayed picture. Word's pictures are at most sentences. */
export const PICTURE_CHARS_MAX = 255;
/** Maximum length of a language tag (RFC 5646 §4.4.1). */
const LANGUAGE_CHARS_MAX = 35;
const FORMATTERS_MAX = 100;
/** A picture such as `d. MMMM yyyy` (ECMA-376-1 §17.16.4.1): runs of a letter, am/pm, quoted text, anything else. */
const TOKEN =
  /d{1,4}|D{1,2}|E{1,4}|M{1,4}|[yY]{4}|[yY]{2}|h{1,2}|H{1,2}|m{1,2}|s{1,2}|am\/pm|AM\/PM|'([^']*)'|[\s\S]/g;

/** Reads an ISO 8601 date with or without a time. Undefined for other text, and for nonexistent days and times. */
export function readDate(text: string): PlainDate | undefined {
  const match = ISO.exec(text.trim());
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  const time = [hour || 0, minute || 0, second || 0] as const;
  const date = new Date(Date.UTC(year, month - 1, day, ...time));
  const isTime = time[0] < 24 && time[1] < 60 && time[2] < 60;
  const isReal = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && isTime;
  return isReal ? { year, month, day, hour: time[0], minute: time[1], second: time[2] } : undefined;
}

const pad = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** `2026-11-21`. */
export function isoDay({ year, month, day }: PlainDate): string {
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

/** `2026-11-21T09:30:00`. */
export function isoTime(date: PlainDate): string {
  return `${isoDay(date)}T${pad(date.hour, 2)}:${pad(date.minute, 2)}:${pad(date.second, 2)}`;
}

/** Formats a date with a Word date picture, and the names of a language such as `de-DE`. */
export function formatDate(date: PlainDate, picture: string, language: string): string {
  return picture.replace(TOKEN, (token, quoted: string | undefined) => quoted ?? show(token, date, language));
}

function show(token: string, date: PlainDate, language: string): string {
  const { year, month, day, hour, minute, second } = date;
  switch (token) {
    case 'dddd':
    case 'EEEE':
      return named(date, language, { weekday: 'long' });
    case 'ddd':
    case 'EEE':
    case 'EE':
    case 'E':
      return named(date, language, { weekday: 'short' });
    case 'MMMM':
      return named(date, language, { month: 'long', day: 'numeric' });
    case 'MMM':
      return named(date, language, { month: 'short', day: 'numeric' });
    case 'yyyy':
    case 'YYYY':
      return pad(year, 4);
    case 'yy':
    case 'YY':
      return pad(year % 100, 2);
    case 'am/pm':
      return hour < 12 ? 'am' : 'pm';
    case 'AM/PM':
      return hour < 12 ? 'AM' : 'PM';
  }
  const numbers: Readonly<Record<string, number>> = {
    d: day,
    D: day,
    M: month,
    h: hour % 12 || 12,
    H: hour,
    m: minute,
    s: second,
  };
  const number = numbers[token[0] ?? ''];
  return number === undefined ? token : pad(number, token.length);
}

/** The name of the month or weekday, in the form used inside a date. */
function named(date: PlainDate, language: string, options: Intl.DateTimeFormatOptions): string {
  const at = Date.UTC(date.year, date.month - 1, date.day);
  const wanted = options.month === undefined ? 'weekday' : 'month';
  const parts = formatterOf(language, options).formatToParts(at);
  return parts.find(({ type }) => type === wanted)?.value ?? '';
}

/** Creating a formatter takes a hundred times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([language.slice(0, LANGUAGE_CHARS_MAX), options]);
  const known = formatters.get(key);
  if (known !== undefined) return known;
  if (formatters.size >= FORMATTERS_MAX) formatters.clear();
  const formatter = newFormatter(language.slice(0, LANGUAGE_CHARS_MAX), options);
  formatters.set(key, formatter);
  return formatter;
}

function newFormatter(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const settings = { ...options, timeZone: 'UTC', calendar: 'gregory', numberingSystem: 'latn' } as const;
  try {
    return new Intl.DateTimeFormat(language, settings);
  } catch {
    return new Intl.DateTimeFormat('en-US', settings);
  }
}
