import { TAG } from '../asn1/der.ts';
import { DerError, type DerValue } from '../asn1/der-reader.ts';

const UTC_TIME = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/;
const GENERALIZED_TIME = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?Z$/;
/** Two-digit years from this on belong to the 20th century, RFC 5280, 4.1.2.5.1. */
const FIRST_YEAR_OF_1900 = 50;

/**
 * Reads a UTCTime or a GeneralizedTime in UTC, in the form of RFC 5280, 4.1.2.5 and RFC 3161, 2.4.2. Throws DerError.
 */
export function readTime(value: DerValue | undefined): Date {
  const text = value?.content.toString('latin1') ?? '';
  const isShort = value?.tag === TAG.utcTime;
  const match = isShort
    ? UTC_TIME.exec(text)
    : value?.tag === TAG.generalizedTime
      ? GENERALIZED_TIME.exec(text)
      : null;
  if (match === null) throw new DerError('time expected');
  const [year = 0, month = 0, ...rest] = match.slice(1, 7).map(Number);
  const [day = 0, hour = 0, minute = 0, second = 0] = rest;
  const century = isShort ? (year < FIRST_YEAR_OF_1900 ? 2000 : 1900) : 0;
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const date = new Date(Date.UTC(2000, 0, day, hour, minute, second, milliseconds));
  date.setUTCFullYear(century + year, month - 1, day);
  if (
    date.getUTCMonth() !== month - 1 ||
    date.getUTCDate() !== day ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    throw new DerError('invalid time');
  return date;
}
