import { invalid } from '@scriptorium/shared/http/validation';
import { type Granularity, periodEnd, type UsageGroup, type UsageRange } from '@scriptorium/usage/read';
import { z } from 'zod';

const DAYS_MAX = 400;
const MONTHS_MAX = 120;
const GROUPS_MAX = 1_000;
/** Approximate limit of the rows of one answer. It limits the number of groups. */
const ROWS_MAX = 20_000;
const DAY_MS = 86_400_000;
const METADATA = 'metadata.';
/** Metadata keys have the maximum length of the collector. PostgreSQL does not support NUL. */
const GROUP = /^(license|operation|metadata\.[^\0]{1,100})$/su;

const day = z.iso
  .date('must be a day, such as `2026-05-31`')
  .refine((text) => text >= '2000-01-01', 'must not be before 2000-01-01');

/** The query of `GET /v1/usage`. */
export const usageQuery = z.strictObject({
  from: day
    .optional()
    .describe('First day, in UTC. By default the first day of the month in which the range ends'),
  to: day.optional().describe('First day after the range, in UTC. By default the first day of next month'),
  granularity: z
    .enum(['day', 'month'])
    .default('day')
    .describe(
      `Length of a period. With \`day\`, the range has at most ${DAYS_MAX} days. With \`month\`, it has at most ${MONTHS_MAX} months and begins and ends on the first day of a month`,
    ),
  groupBy: z
    .string()
    .regex(GROUP, 'must be `license`, `operation` or `metadata.<key>`')
    .optional()
    .describe(
      'Group by `license` (API operations are `api`), by `operation` (opens of documents are `open`), or by the value of a metadata key: `metadata.<key>`. The license must be configured to count by that key',
    ),
});

/** A parsed query: what to read and how to group it. */
export interface UsageSelection extends UsageRange {
  granularity: Granularity;
  groupBy: UsageGroup;
  groupsMax: number;
}

/** Parses the query, with defaults relative to `now`. Throws VALIDATION_ERROR, which names `from` or `to`. */
export function usageSelectionOf(
  { from: sentFrom, to: sentTo, granularity, groupBy }: z.output<typeof usageQuery>,
  now: Date,
): UsageSelection {
  const to = sentTo ?? periodEnd(monthOf(now.toISOString()), 'month');
  const from = sentFrom ?? monthOf(new Date(Date.parse(to) - DAY_MS).toISOString());
  if (from >= to)
    throw invalid([
      sentTo === undefined
        ? { field: 'query.from', issue: `must be before \`to\`, which is ${to}` }
        : { field: 'query.to', issue: `must be after \`from\`, which is ${from}` },
    ]);
  const periods = granularity === 'day' ? daysBetween(from, to) : monthsBetween(from, to);
  return {
    from,
    to,
    granularity,
    groupBy: groupOf(groupBy),
    groupsMax: Math.min(GROUPS_MAX, Math.floor(ROWS_MAX / periods)),
  };
}

const monthOf = (time: string): string => `${time.slice(0, 7)}-01`;

function daysBetween(from: string, to: string): number {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS;
  if (days > DAYS_MAX)
    throw invalid([
      {
        field: 'query.to',
        issue: `must be at most ${DAYS_MAX} days after \`from\`; use \`granularity=month\` for longer ranges`,
      },
    ]);
  return days;
}

function monthsBetween(from: string, to: string): number {
  const details = Object.entries({ from, to })
    .filter(([, text]) => !text.endsWith('-01'))
    .map(([field]) => ({
      field: `query.${field}`,
      issue: 'must be the first day of a month if `granularity` is `month`',
    }));
  if (details.length > 0) throw invalid(details);
  const months = 12 * (yearOf(to) - yearOf(from)) + Number(to.slice(5, 7)) - Number(from.slice(5, 7));
  if (months > MONTHS_MAX)
    throw invalid([{ field: 'query.to', issue: `must be at most ${MONTHS_MAX} months after \`from\`` }]);
  return months;
}

const yearOf = (text: string): number => Number(text.slice(0, 4));

function groupOf(text: string | undefined): UsageGroup {
  if (text === undefined) return null;
  if (text.startsWith(METADATA)) return { by: 'metadata', key: text.slice(METADATA.length) };
  return { by: text === 'license' ? 'license' : 'operation' };
}
