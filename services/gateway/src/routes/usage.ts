import { AppError, unavailable } from '@scriptorium/contracts/errors';
import { validate } from '@scriptorium/shared/http/validation';
import { UsageError } from '@scriptorium/usage/error';
import { type PeriodCount, periodEnd, type Usage, type UsageTable } from '@scriptorium/usage/read';
import type { Request } from 'express';
import { z } from 'zod';
import { ownerOf, type Reply } from '../http/context.ts';
import type { Route } from '../http/route.ts';
import type { KeyedLimiter } from '../limits/keyed-limiter.ts';
import { type UsageSelection, usageQuery, usageSelectionOf } from '../requests/usage-request.ts';
import { csvOf } from './csv.ts';

const JSON_TYPE = 'application/json';
const CSV_TYPE = 'text/csv';
const WAIT_MS_MAX = 10_000;

const counts = {
  documents: z.int().describe('Number of distinct documents per license, plus API operations'),
  opens: z.int().describe('Number of opens of documents, plus API operations'),
};
const group = z
  .string()
  .describe('With `groupBy`: the group. `(other)` is the sum of the groups that are not listed');

const usageReply = z
  .strictObject({
    from: z.iso.date(),
    to: z.iso.date().describe('First day after the range'),
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
        'Sorted by time and group, without empty periods. A document counts in each period in which it was opened',
      ),
    totals: z
      .strictObject(counts)
      .describe(
        'Totals of the whole range. A document counts once, even if it was opened in several periods',
      ),
    groups: z
      .array(z.strictObject({ group, ...counts }))
      .optional()
      .describe(
        'With `groupBy`: the totals of each group. A document that was opened with several values of a metadata key counts in each of these groups. A document without the key counts in none',
      ),
    truncated: z
      .boolean()
      .describe(
        'True if only the groups with the most documents are listed: at most 1,000 groups and 20,000 rows',
      ),
  })
  .meta({ id: 'Usage' });

export interface UsageParts {
  table: UsageTable;
  limiter: KeyedLimiter;
}

export function usageRoute(parts: UsageParts): Route {
  return {
    operationId: 'getUsage',
    method: 'get',
    path: '/v1/usage',
    access: 'key',
    tag: 'Usage',
    summary: 'Usage counts: opened documents and API operations',
    description:
      'Counts all licenses of the address that owns the key, and the API operations of all its keys: `convert`, `annotate`, `generate`, `merge`, `inspect`, `sign`, `verify`. Each request with status 200 counts as one operation. ' +
      'Days and months are in UTC. The counts are a few seconds behind. ' +
      'A document counts once per period and license, even if it is opened several times.',
    query: usageQuery,
    example: {
      summary: 'The months of a year by operation',
      query: { from: '2026-01-01', to: '2027-01-01', granularity: 'month', groupBy: 'operation' },
    },
    success: [
      { description: 'Counts by period', contentType: JSON_TYPE, schema: usageReply },
      {
        description:
          'With `Accept: text/csv`, the periods as CSV (RFC 4180). An apostrophe precedes text that a spreadsheet could read as a formula. It is at the start of a value and after a semicolon, tab or line break in it',
        contentType: CSV_TYPE,
        headers: { 'X-Usage-Truncated': 'For CSV: the value of `truncated`' },
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
      const query = validate(usageQuery, request.query, { within: 'query' });
      const selection = usageSelectionOf(query, new Date());
      const usage = await readUsage(parts, selection, response);
      sendUsage(request, response, { ...selection, groupBy: query.groupBy ?? null }, usage);
    },
  };
}

/** Owners share the database: the limiter runs one read per owner and few reads in total. */
async function readUsage(
  { table, limiter }: UsageParts,
  selection: UsageSelection,
  response: Reply,
): Promise<Usage> {
  const { ownerHash } = ownerOf(response);
  const waiting = AbortSignal.any([response.locals.signal, AbortSignal.timeout(WAIT_MS_MAX)]);
  const read = () => table.read({ ...selection, ownerHash });
  return limiter.run(ownerHash.toString('base64'), waiting, read).catch((error) => {
    if (error instanceof AppError || error instanceof UsageError) throw error;
    if (waiting.aborted && error === waiting.reason)
      throw new AppError('OVERLOADED', 'The usage database is busy; try again later.', { cause: error });
    return unavailable('usage store')(error);
  });
}

type Shown = Pick<UsageSelection, 'from' | 'to' | 'granularity'> & { groupBy: string | null };

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
