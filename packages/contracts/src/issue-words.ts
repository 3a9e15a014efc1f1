import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

/** The types that a schema can expect of JSON, in words. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'an integer'],
  ['boolean', 'true or false'],
  ['null', 'null'],
  ['array', 'an array'],
  ['tuple', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

const FORMATS: ReadonlyMap<string, string> = new Map([
  ['email', 'an e-mail address'],
  ['url', 'an address such as `https://example.com`'],
  ['datetime', 'a date and time such as `2026-01-31T12:00:00Z`'],
  ['date', 'a date such as `2026-01-31`'],
  ['uuid', 'a UUID'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
]);

const UNITS: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ['string', ['character', 'characters']],
  ['array', ['entry', 'entries']],
]);

/** The text of an issue for which the schema has none. Callers never see the words of Zod. */
export function issueWords(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES.get(issue.expected) ?? 'of another type'}`;
    case 'invalid_value':
      return oneOf(issue.values.map((value) => `\`${String(value)}\``));
    case 'too_small':
      return bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_format':
      return FORMATS.has(issue.format) ? `must be ${FORMATS.get(issue.format)}` : 'has the wrong form';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      // The words of the schema for the name of a property.
      return issue.issues[0]?.message ?? 'has the wrong form';
    default:
      return 'has the wrong form';
  }
}

function oneOf(values: readonly string[]): string {
  const last = values.at(-1) ?? '';
  return values.length < 2
    ? `must be ${last}`
    : `must be one of ${values.slice(0, -1).join(', ')} and ${last}`;
}

function bound(origin: string, relation: string, limit: number | bigint): string {
  const unit = UNITS.get(origin);
  if (unit === undefined) return `must be ${relation} ${limit}`;
  return `must have ${relation} ${limit} ${unit[limit === 1 ? 0 : 1]}`;
}
