import { formatPicture } from './date-pattern.ts';
import { PATTERN_CHARS_MAX as PICTURE_CHARS_MAX } from './date-pieces.ts';
import { inZone, type PlainDate, parsedDate } from './dates.ts';

export type { PlainDate };
export { PICTURE_CHARS_MAX };

/**
 * Reads an ISO 8601 date with or without a time, as it is written: an offset changes nothing. Undefined for other text,
 * and for nonexistent days and times.
 *
 * @example
 * isoDay(readDate('2026-11-29T08:30')) // '2026-11-29'
 * readDate('2026-02-30') // undefined
 */
export function readDate(text: string): PlainDate | undefined {
  const date = parsedDate(text);
  return date?.has === 'time' ? undefined : date;
}

/**
 * A moment in ISO 8601 as the clocks of a time zone show it, without an offset. Other text stays as it is.
 *
 * @example
 * localTime('2026-11-29T23:30:00Z', 'Europe/Berlin') // '2026-11-30T00:30:00'
 */
export function localTime(text: string, timeZone: string): string {
  const date = parsedDate(text);
  return date?.offset === undefined ? text : isoTime(inZone(date, timeZone));
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

/**
 * Formats a date with a Word date picture, and the names of a language such as `de-DE`.
 *
 * @example
 * formatDate(readDate('2026-11-29'), 'dddd, d. MMMM yyyy', 'de-DE') // 'Sonntag, 29. November 2026'
 */
export function formatDate(date: PlainDate, picture: string, language: string): string {
  return formatPicture(date, picture, language);
}
