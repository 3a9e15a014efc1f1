import { describe } from './decimals.ts';
import { DataError } from './errors.ts';
import type { Json } from './json.ts';

/** A date and time as clocks show it in one place. */
export interface PlainDate {
  readonly year: number;
  /** 1–12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** What the text has: a date, a time of day, or both. */
  readonly has: 'date' | 'time' | 'both';
  /** Minutes east of UTC, where that is known. */
  readonly offset: number | undefined;
}

const DATE = /(?<year>\d{4})(?:-(?<month>\d\d)-(?<day>\d\d)|(?<month2>\d\d)(?<day2>\d\d))/.source;
const TIME = /(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?/.source;
const ZONE = /(?<zone>Z|[+-]\d\d(?::?\d\d)?)/.source;
const ISO = new RegExp(`^(?:${DATE}(?:[Tt ]${TIME} ?${ZONE}?)?)$`);
const CLOCK = new RegExp(`^${TIME}$`);
const TEXT_CHARS_MAX = 40;

/**
 * Reads an ISO 8601 date, time of day, or both. A moment with an offset is shown as the clocks of `timeZone` show it;
 * without an offset it stays as it is. Throws a DataError for anything else: a number has no known unit.
 */
export function dateOf(value: Json | undefined, timeZone: string, path: string): PlainDate {
  const date = typeof value === 'string' ? parsedDate(value) : undefined;
  if (date === undefined) throw new DataError(path, `${describe(value)} is not an ISO 8601 date`);
  return date.offset === undefined ? date : inZone(date, timeZone);
}

/** Reads an ISO 8601 date, time of day, or both, as it is written. Undefined for anything else. */
export function parsedDate(text: string): PlainDate | undefined {
  if (text.length > TEXT_CHARS_MAX) return undefined;
  const trimmed = text.trim();
  const match = ISO.exec(trimmed) ?? CLOCK.exec(trimmed);
  return match === null ? undefined : partsOf(match.groups ?? {});
}

function partsOf(groups: Record<string, string | undefined>): PlainDate | undefined {
  const number = (name: string) => Number(groups[name] ?? 0);
  const isClock = groups.year === undefined;
  const isDay = groups.hour === undefined;
  const date: PlainDate = {
    year: isClock ? 1970 : number('year'),
    month: isClock ? 1 : number('month') || number('month2'),
    day: isClock ? 1 : number('day') || number('day2'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
    millisecond: Number((groups.fraction ?? '').padEnd(3, '0').slice(0, 3)),
    has: isClock ? 'time' : isDay ? 'date' : 'both',
    offset: offsetOf(groups.zone),
  };
  return isReal(date) ? date : undefined;
}

function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined;
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3).replace(':', '') || 0);
  return zone.startsWith('-') ? -minutes : minutes;
}

/** Whether a date exists: February has no 30th. */
export function isReal({ year, month, day, hour, minute, second }: PlainDate): boolean {
  const date = new Date(timeOf(year, month, day));
  const isDay = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isDay && hour < 24 && minute < 60 && second < 60;
}

function timeOf(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  // Date.UTC reads a year below 100 as one of the 20th century.
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

/** The milliseconds since 1970 that a clock in UTC would have. */
export function clockTime({ year, month, day, hour, minute, second, millisecond }: PlainDate): number {
  return timeOf(year, month, day, hour, minute, second) + millisecond;
}

/** The date that a clock in UTC shows. */
export function fromClockTime(time: number, { has, offset }: Pick<PlainDate, 'has' | 'offset'>): PlainDate {
  const date = new Date(time);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    has,
    offset,
  };
}

const ZONES_MAX = 100;
const zones = new Map<string, Intl.DateTimeFormat>();

/** A date with an offset as the clocks of a time zone show it. */
export function inZone(date: PlainDate, timeZone: string): PlainDate {
  const time = clockTime(date) - (date.offset ?? 0) * 60_000;
  if (timeZone === 'UTC') return fromClockTime(time, { has: date.has, offset: 0 });
  const parts: Record<string, number> = {};
  for (const { type, value } of zoneOf(timeZone).formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  const local = timeOf(year, month, day, hour, minute, second) + date.millisecond;
  return fromClockTime(local, { has: date.has, offset: Math.round((local - time) / 60_000) });
}

function zoneOf(timeZone: string): Intl.DateTimeFormat {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  if (zones.size >= ZONES_MAX) zones.clear();
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  zones.set(timeZone, format);
  return format;
}
