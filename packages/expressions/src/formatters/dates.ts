import { parseDate } from '../date-parse.ts';
import { formatDate } from '../date-pattern.ts';
import { costOf, PATTERN_CHARS_MAX } from '../date-pieces.ts';
import { clockTime, dateOf, fromClockTime, type PlainDate } from '../dates.ts';
import { describe } from '../decimals.ts';
import { DataError } from '../errors.ts';
import { type Formatter, textArgument, type Use, wholeArgument } from './formatter.ts';

/** The date that the input is: in ISO 8601, or in another form if a pattern says so. */
function dateIn({ input, path, settings }: Use, pattern = ''): PlainDate {
  if (pattern === '' || typeof input !== 'string') return dateOf(input, settings.timeZone, path);
  const isShort = pattern.length <= PATTERN_CHARS_MAX;
  if (isShort) settings.spend(costOf(pattern));
  const date = isShort ? parseDate(input.slice(0, PATTERN_CHARS_MAX), pattern) : undefined;
  if (date !== undefined) return date;
  throw new DataError(path, `${describe(input)} is not a date of the form ${describe(pattern)}`);
}

function shown({ path, settings }: Use, date: PlainDate, pattern: string): string {
  const isShort = pattern.length <= PATTERN_CHARS_MAX;
  if (isShort) settings.spend(costOf(pattern));
  if (
    date.has === 'time' &&
    /[dDyYMELwWQ]|%[^HIMSpfTR%]/.test(pattern.replace(/'[^']*'|\[[^\]]*\]|AM\/PM/g, ''))
  ) {
    throw new DataError(path, 'is a time of day without a date');
  }
  const text = isShort ? formatDate(date, pattern, settings.locale) : undefined;
  if (text === undefined) throw new DataError(path, `${describe(pattern)} is not a pattern for dates`);
  return text;
}

function asTime(use: Use): string {
  const date = dateIn(use);
  if (date.has === 'date') throw new DataError(use.path, `${describe(use.input)} has no time of day`);
  const pattern = textArgument(use, 0, 'short');
  const named = { short: 'LT', medium: 'LTS', long: 'LTS' }[pattern];
  return shown(use, { ...date, has: 'both' }, named ?? pattern);
}

const UNITS: Readonly<Record<string, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const AMOUNT_MAX = 1_000_000;

/** Moves a date by some days, months or other units; a month ends on its last day at the latest. */
function moved(use: Use, sign: 1 | -1): string {
  const amount = sign * wholeArgument(use, 0, { min: -AMOUNT_MAX, max: AMOUNT_MAX, otherwise: 0 });
  const unit = textArgument(use, 1, 'day').toLowerCase().replace(/s$/, '');
  const date = dateIn(use, textArgument(use, 2, ''));
  const milliseconds = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  if (milliseconds !== undefined)
    return iso(use, fromClockTime(clockTime(date) + amount * milliseconds, date));
  const months = { month: 1, quarter: 3, year: 12 }[unit];
  if (months === undefined) throw new DataError(use.path, `${describe(unit)} is not a unit of time`);
  const total = date.year * 12 + date.month - 1 + amount * months;
  const first = { ...date, year: Math.floor(total / 12), month: (total % 12) + 1, day: 1 };
  const days = new Date(Date.UTC(2000 + (first.year % 400), first.month, 0)).getUTCDate();
  return iso(use, { ...first, day: Math.min(date.day, days) });
}

function edge(use: Use, isEnd: boolean): string {
  const unit = textArgument(use, 0, 'year').toLowerCase().replace(/s$/, '');
  const date = dateIn(use, textArgument(use, 1, ''));
  const start = { ...date, hour: 0, minute: 0, second: 0, millisecond: 0 };
  if (unit === 'day') return iso(use, isEnd ? { ...start, hour: 23, minute: 59, second: 59 } : start);
  if (unit !== 'month' && unit !== 'year')
    throw new DataError(use.path, `${describe(unit)} is not day, month or year`);
  const month = unit === 'year' ? (isEnd ? 12 : 1) : date.month;
  const days = new Date(Date.UTC(2000 + (date.year % 400), month, 0)).getUTCDate();
  const day = { ...start, month, day: isEnd ? days : 1 };
  return iso(use, isEnd ? { ...day, hour: 23, minute: 59, second: 59 } : day);
}

/** A date in ISO 8601, without an offset: it is what the clocks show. */
function iso({ path }: Use, date: PlainDate): string {
  if (!(date.year > 0 && date.year < 10_000))
    throw new DataError(path, 'the date is out of the years 1 to 9999');
  const [day = '', time = ''] = new Date(clockTime(date)).toISOString().split('T');
  return date.has === 'date' ? day : `${day}T${time.replace('Z', '').replace(/\.000$/, '')}`;
}

/** A date that the pattern reads, if the template has one. */
const sampleOf =
  (index: number): Formatter['sample'] =>
  (args) => {
    const pattern = args[index];
    const date = { year: 2026, month: 5, day: 21, hour: 9, minute: 30, second: 0, millisecond: 0 };
    if (typeof pattern !== 'string' || pattern.length > PATTERN_CHARS_MAX) return undefined;
    return formatDate({ ...date, has: 'both', offset: undefined }, pattern, 'en');
  };

const MOVE = [{ name: 'amount', isRequired: true }, { name: 'unit' }, { name: 'pattern' }] as const;

export const DATES: readonly Formatter[] = [
  {
    name: 'date',
    aliases: ['strftime', 'formatDate'],
    parameters: [{ name: 'pattern' }],
    hint: 'date',
    apply: (use) => shown(use, dateIn(use), textArgument(use, 0, 'medium')),
  },
  {
    name: 'format_date',
    parameters: [{ name: 'format' }],
    hint: 'date',
    apply: (use) => shown(use, dateIn(use), textArgument(use, 0, 'long')),
  },
  {
    name: 'datetime',
    parameters: [{ name: 'pattern' }],
    hint: 'datetime',
    apply: (use) => shown(use, dateIn(use), textArgument(use, 0, 'lll')),
  },
  { name: 'time', parameters: [{ name: 'pattern' }], hint: 'datetime', apply: asTime },
  {
    name: 'formatD',
    parameters: [{ name: 'pattern', isRequired: true }, { name: 'input' }],
    hint: 'date',
    sample: sampleOf(1),
    apply: (use) => shown(use, dateIn(use, textArgument(use, 1, '')), textArgument(use, 0, 'short')),
  },
  {
    name: 'convDate',
    parameters: [
      { name: 'input', isRequired: true },
      { name: 'pattern', isRequired: true },
    ],
    hint: 'date',
    sample: sampleOf(0),
    apply: (use) => shown(use, dateIn(use, textArgument(use, 0, '')), textArgument(use, 1, 'short')),
  },
  {
    name: 'addD',
    aliases: ['addDays'],
    parameters: MOVE,
    hint: 'date',
    sample: sampleOf(2),
    apply: (use) => moved(use, 1),
  },
  { name: 'subD', parameters: MOVE, hint: 'date', sample: sampleOf(2), apply: (use) => moved(use, -1) },
  {
    name: 'startOfD',
    parameters: [{ name: 'unit' }, { name: 'pattern' }],
    hint: 'date',
    sample: sampleOf(1),
    apply: (use) => edge(use, false),
  },
  {
    name: 'endOfD',
    parameters: [{ name: 'unit' }, { name: 'pattern' }],
    hint: 'date',
    sample: sampleOf(1),
    apply: (use) => edge(use, true),
  },
];
