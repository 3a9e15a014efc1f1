/** Values as the usual format scripts of forms show them (Acrobat JavaScript, "Forms-specific functions"). */

const VALUE_CHARS_MAX = 200;
const CALL = /^\s*AF(Number|Percent|Date|Time|Special)_Format(?:Ex)?\s*\((.*)\)\s*;?\s*$/s;
const ARGUMENT = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,"']*))\s*(?:,|$)/gy;
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];
const DATES = [
  ...['m/d', 'm/d/yy', 'mm/dd/yy', 'mm/yy', 'd-mmm', 'd-mmm-yy', 'dd-mmm-yy', 'yy-mm-dd', 'mmm-yy'],
  ...['mmmm-yy', 'mmm d, yyyy', 'mmmm d, yyyy', 'm/d/yy h:MM tt', 'm/d/yy HH:MM'],
];
const TIMES = ['HH:MM', 'h:MM tt', 'HH:MM:ss', 'h:MM:ss tt'];
/** By the number of the separator style: of thousands, and of decimals. */
const SEPARATORS = [
  [',', '.'],
  ['', '.'],
  ['.', ','],
  ['', ','],
  ['’', '.'],
] as const;
const DECIMALS_MAX = 20;
/** Above, a script would round the digits before the point. */
const NUMBER_MAX = 1e15;
/** Signs, digits and words such as million would make another number of it. */
const CURRENCY = /^\s*(?:[A-Z]{3}|[\p{L}.]{0,2}\p{Sc}|kr\.?|Kč|Ft|zł|Fr\.?|lei|)\s*$/u;

type Argument = string | undefined;

/** The texts that a format script may show for a value; none if it is another script. */
export function formattedBy(script: string, value: string): string[] {
  const [, kind, list = ''] = CALL.exec(script) ?? [];
  if (kind === undefined || value.length > VALUE_CHARS_MAX) return [];
  const given = [...list.matchAll(ARGUMENT)].map(
    ([, double, single, bare]) => double ?? single ?? bare?.trim(),
  );
  if (kind === 'Number') return numbers(value, given);
  if (kind === 'Percent') return percents(value, given);
  if (kind === 'Special') return special(value, Number(given[0]));
  const [first = ''] = given;
  const named = (kind === 'Date' ? DATES : TIMES)[Number(first)];
  return dates(value, /^\d+$/.test(first) ? (named ?? '') : first);
}

/** Values of which each usual format shows one. */
const SAMPLES = [
  '1',
  '2000-01-01',
  '2000-01-01 12:00:00',
  '12:00',
  '12:00:00',
  ...[5, 7, 9, 10].map((digits) => '1'.repeat(digits)),
];

/** Whether a script is one of the usual formats, with arguments that are known. */
export const isUsualFormat = (script: string): boolean =>
  SAMPLES.some((value) => formattedBy(script, value).length > 0);

interface Written {
  isNegative: boolean;
  /** Without a sign, with separators. */
  texts: string[];
}

/** Writes a number; a half may be rounded either way. */
function written(value: string, factor: number, places: Argument, style: Argument): Written | undefined {
  const [group, point] = SEPARATORS[Number(style ?? 0)] ?? SEPARATORS[0];
  const plain = point === ',' ? value.replace(',', '.') : value;
  const decimals = Number(places ?? 0);
  if (!/^-?(?:\d+\.?\d*|\.\d+)$/.test(plain) || !(decimals >= 0 && decimals <= DECIMALS_MAX))
    return undefined;
  const number = Math.abs(Number(plain)) * factor;
  if (number >= NUMBER_MAX) return undefined;
  const half = 10 ** -(decimals + 4);
  const texts = [number, number + half, Math.max(0, number - half)].map((each) => {
    const [whole = '', rest] = each.toFixed(decimals).split('.');
    const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, group);
    return rest === undefined ? grouped : `${grouped}${point}${rest}`;
  });
  return { isNegative: plain.startsWith('-'), texts: [...new Set(texts)] };
}

function numbers(value: string, [places, style, negative, , currency = '', prepends]: Argument[]): string[] {
  const number = written(value, 1, places, style);
  if (!number || !CURRENCY.test(currency)) return [];
  const isBefore = prepends === 'true';
  const withCurrency = (text: string) => (isBefore ? `${currency}${text}` : `${text}${currency}`);
  return number.texts.flatMap((text) => {
    if (!number.isNegative) return [withCurrency(text)];
    if (negative === '2' || negative === '3') return [`(${withCurrency(text)})`, withCurrency(`(${text})`)];
    return [`-${withCurrency(text)}`, withCurrency(`-${text}`)];
  });
}

function percents(value: string, [places, style]: Argument[]): string[] {
  const number = written(value, 100, places, style);
  return number?.texts.map((text) => `${number.isNegative ? '-' : ''}${text}%`) ?? [];
}

function special(value: string, kind: number): string[] {
  const digits = value.replace(/[\s()./-]/g, '');
  if (!/^\d+$/.test(digits)) return [];
  const parts = (...sizes: number[]) => {
    let at = 0;
    return sizes.map((size) => {
      at += size;
      return digits.slice(at - size, at);
    });
  };
  if (kind === 0 && digits.length === 5) return [digits];
  if (kind === 1 && digits.length === 9) return [parts(5, 4).join('-')];
  if (kind === 2 && digits.length === 7) return [parts(3, 4).join('-')];
  if (kind === 3 && digits.length === 9) return [parts(3, 2, 4).join('-')];
  if (kind !== 2 || digits.length !== 10) return [];
  const [area, ...rest] = parts(3, 3, 4);
  return [`(${area}) ${rest.join('-')}`];
}

const TOKENS = /yyyy|yy|mmmm|mmm|mm|m|dddd|ddd|dd|d|HH|H|hh|h|MM|M|ss|s|tt|t/g;
type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';
const UNITS: Readonly<Record<string, Unit>> = {
  ...{ y: 'year', m: 'month', d: 'day', H: 'hour', h: 'hour', M: 'minute', s: 'second' },
};
type Moment = Partial<Record<Unit, number>>;

function dates(value: string, format: string): string[] {
  const order = (format.match(TOKENS) ?? []).flatMap((token) => {
    const unit = /^d{3}/.test(token) ? undefined : UNITS[token.charAt(0)];
    return unit ? [unit] : [];
  });
  const moment = momentOf(value, order);
  if (!moment || order.length === 0) return [];
  const text = format.replace(TOKENS, (token) => shown(token, moment));
  return text.includes('\u0000') ? [] : [text];
}

/** Reads a value in the order of its format, or the year first. */
function momentOf(value: string, order: readonly Unit[]): Moment | undefined {
  const found = value.match(/\d+|[A-Za-z]{3,}/g) ?? [];
  const numbers = found.map((word) => (/^\d/.test(word) ? Number(word) : monthOf(word)));
  const isYearFirst = /^\d{4}-\d{1,2}-\d{1,2}(?:\D|$)/.test(value) && order[0] !== 'year';
  const units: readonly Unit[] = isYearFirst
    ? [...(['year', 'month', 'day'] as const), ...order.filter((unit) => /hour|minute|second/.test(unit))]
    : order;
  if (numbers.length < order.length || numbers.length > units.length) return undefined;
  const moment: Moment = {};
  for (const [index, number] of numbers.entries()) {
    const unit = units[index];
    if (number === undefined || unit === undefined) return undefined;
    moment[unit] = number;
  }
  if (/p\.?m/i.test(value) && moment.hour !== undefined && moment.hour < 12) moment.hour += 12;
  if (/a\.?m/i.test(value) && moment.hour === 12) moment.hour = 0;
  return isReal(moment) ? moment : undefined;
}

/** Whether there is such a day and time; a year that is not known may be a leap year. */
function isReal({ year = 2000, month = 1, day = 1, hour = 0, minute = 0, second = 0 }: Moment): boolean {
  const date = new Date(Date.UTC(fullYear(year), month - 1, day));
  return (
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  );
}

const fullYear = (year: number): number => (year < 50 ? 2000 + year : year < 100 ? 1900 + year : year);

function monthOf(word: string): number | undefined {
  const at = MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === word.slice(0, 3).toLowerCase());
  return at === -1 ? undefined : at + 1;
}

/** A part of a date; NUL if the value does not have it. */
function shown(token: string, moment: Moment): string {
  const letter = token.charAt(0);
  if (letter === 't')
    return (moment.hour ?? 0) < 12 ? 'am'.slice(0, token.length) : 'pm'.slice(0, token.length);
  const unit = UNITS[letter];
  const number = unit === undefined ? undefined : moment[unit];
  if (number === undefined || /^d{3}/.test(token)) return '\u0000';
  if (letter === 'y') {
    const year = fullYear(number);
    return token === 'yy' ? String(year % 100).padStart(2, '0') : String(year).padStart(4, '0');
  }
  if (token === 'mmmm') return MONTHS[number - 1] ?? '\u0000';
  if (token === 'mmm') return MONTHS[number - 1]?.slice(0, 3) ?? '\u0000';
  const of12 = letter === 'h' ? ((number + 11) % 12) + 1 : number;
  return String(of12).padStart(token.length, '0');
}
