import { AppError, unavailable } from '@scriptorium/shared/errors';
import { validate } from '@scriptorium/shared/http/validation';
import { UsageError } from '@scriptorium/usage/error';
import { type PeriodCount, periodEnd, type Usage, type UsageTable } from '@scriptorium/usage/read';
import type { Request } from 'express';
import { z } from 'zod';
import { ownerOf, type Reply } from '../context.ts';
import type { KeyedLimiter } from '../keyed-limiter.ts';
import { type UsageAsked, usageAskedOf, usageQuery } from '../requests/usage-request.ts';
import type { Route } from '../route.ts';
import { csvOf } from './csv.ts';

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';
const WAIT_MS_MAX = 10_000;

const counts = {
  documents: z.int().describe('Different documents of each license, and API operations'),
  opens: z.int().describe('How often documents were opened, and API operations'),
};
const group = z
  .string()
  .describe('With `groupBy`: which group; `(other)` sums up those that are not told apart');

const usageReply = z.strictObject({
  from: z.iso.date(),
  to: z.iso.date().describe('Does not count any more'),
  granularity: z.enum(['day', 'month']),
  groupBy: z.string().nullable(),
  periods: z
    .array(
      z.strictObject({
        start: z.iso.date(),
        end: z.iso.date().describe('First day after the period'),
        group: group.optional(),
        ...counts,
      }),
    )
    .describe(
      'In order of time and groups; without those in which nothing was. A document counts in each period',
    ),
  totals: z
    .strictObject(counts)
    .describe(
      'Of the whole range, whatever its group: a document counts once, so this is less than the sum of the periods where one was opened in several',
    ),
  groups: z
    .array(z.strictObject({ group, ...counts }))
    .optional()
    .describe(
      'With `groupBy`: the same for each group. A document that was opened with several values of a metadata key counts in the group of each, one without any in none',
    ),
  truncated: z
    .boolean()
    .describe(
      'True where only the groups with the most documents are told apart: at most 1,000, and as many as make 20,000 rows',
    ),
});

export interface UsageParts {
  table: UsageTable;
  limiter: KeyedLimiter;
}

export function usageRoute(parts: UsageParts): Route {
  return {
    method: 'get',
    path: '/v1/usage',
    access: 'key',
    tag: 'Usage',
    summary: 'What was counted for you: documents opened, API operations',
    description:
      'Of all licenses that belong to the address of the asking key, and of the API operations of all its keys: `convert`, `annotate`, `inspect`, `sign`, `verify`, one for each request that was answered with 200. ' +
      'Days and months are those of UTC. A few seconds behind. ' +
      'The same document counts once in a period for each license, however often it is opened.',
    query: usageQuery,
    success: [
      { description: 'Counts by period', contentType: JSON_TYPE, schema: usageReply },
      {
        description:
          'with `Accept: text/csv`, the periods as RFC 4180 has it; what a spreadsheet could take for a formula, at the beginning of a value or after a semicolon, tab or line break in it, has an apostrophe before it',
        contentType: CSV_TYPE,
        headers: { 'X-Usage-Truncated': 'Of CSV: what `truncated` says' },
      },
    ],
    errors: [
      'VALIDATION_ERROR',
      'CONCURRENCY_LIMIT',
      'RATE_LIMIT_EXCEEDED',
      'OVERLOADED',
      'DEADLINE_EXCEEDED',
    ],
    async handle(request, response) {
      const query = validate(usageQuery, request.query);
      const asked = usageAskedOf(query, new Date());
      const usage = await readUsage(parts, asked, response);
      sendUsage(request, response, { ...asked, groupBy: query.groupBy ?? null }, usage);
    },
  };
}

/** Owners share the database: two read at a time, and each owner waits behind its own requests. */
async function readUsage({ table, limiter }: UsageParts, asked: UsageAsked, response: Reply): Promise<Usage> {
  const { ownerHash } = ownerOf(response);
  const waiting = AbortSignal.any([response.locals.signal, AbortSignal.timeout(WAIT_MS_MAX)]);
  const read = () => table.read({ ...asked, ownerHash });
  return limiter.run(ownerHash.toString('base64'), waiting, read).catch((error) => {
    if (error instanceof AppError || error instanceof UsageError) throw error;
    if (waiting.aborted && error === waiting.reason)
      throw new AppError('OVERLOADED', 'Other readings of usage took too long.', { cause: error });
    return unavailable('usage store')(error);
  });
}

type Shown = Pick<UsageAsked, 'from' | 'to' | 'granularity'> & { groupBy: string | null };

function sendUsage(request: Request, response: Reply, shown: Shown, usage: Usage): void {
  const { from, to, granularity, groupBy } = shown;
  response.setHeader('Cache-Control', 'no-store');
  response.vary('Accept');
  if (request.accepts([JSON_TYPE, CSV_TYPE]) === CSV_TYPE) {
    response.setHeader('Content-Type', `${CSV_TYPE}; charset=utf-8; header=present`);
    response.setHeader('X-Usage-Truncated', String(usage.isTruncated));
    response.end(csvOf(rowsOf(usage.periods, shown)));
    return;
  }
  const reply: z.input<typeof usageReply> = {
    from,
    to,
    granularity,
    groupBy,
    periods: usage.periods.map(({ start, group, documents, opens }) => ({
      start,
      end: periodEnd(start, granularity),
      ...(group !== null && { group }),
      documents,
      opens,
    })),
    totals: usage.totals,
    ...(groupBy !== null && {
      groups: usage.groups.map(({ group, ...numbers }) => ({ group: group ?? '', ...numbers })),
    }),
    truncated: usage.isTruncated,
  };
  response.json(reply);
}

function rowsOf(periods: readonly PeriodCount[], { granularity, groupBy }: Shown): (string | number)[][] {
  const head = ['start', 'end', ...(groupBy === null ? [] : [groupBy]), 'documents', 'opens'];
  const rows = periods.map(({ start, group, documents, opens }) => [
    start,
    periodEnd(start, granularity),
    ...(group === null ? [] : [group]),
    documents,
    opens,
  ]);
  return [head, ...rows];
}
