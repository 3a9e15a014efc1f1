import type { Pool, PoolClient } from 'pg';
import { UsageError } from './usage-error.ts';

/** Days are `YYYY-MM-DD` in UTC. */
export interface UsageRange {
  /** First day, inclusive. */
  from: string;
  /** End day, exclusive. */
  to: string;
}

export type Granularity = 'day' | 'month';

/** How counts are grouped. Null for one total. */
export type UsageGroup = { by: 'license' } | { by: 'operation' } | { by: 'metadata'; key: string } | null;

export interface UsageQuery extends UsageRange {
  /** The owner of the licenses and API operations: the owner of the requesting API key. */
  ownerHash: Buffer;
  groupBy: UsageGroup;
  /** For `month`, the range must begin and end with the first day of a month. */
  granularity: Granularity;
  /** Maximum number of separate groups: those with the most documents. The others are summed up under `(other)`. */
  groupsMax: number;
}

export interface UsageCount {
  /** Distinct documents of each license, or distinct requests of API operations. */
  documents: number;
  opens: number;
}

export interface GroupCount extends UsageCount {
  /**
   * By license: its key, or `api` for API operations. By operation: its name, or `open` for opens of documents. By
   * metadata: the value. Null without groups.
   */
  group: string | null;
}

export interface PeriodCount extends GroupCount {
  /** First day of the period. */
  start: string;
}

/** A consistent snapshot. */
export interface Usage {
  /** Sorted by time, then by group, without empty periods. A document counts once in each period. */
  periods: PeriodCount[];
  /** Counts for the whole range, in which a document counts once. In `(other)`, it counts once per group. */
  groups: GroupCount[];
  /** Totals, including counts outside all groups. */
  totals: UsageCount;
  /** True if there are more than `groupsMax` groups. */
  isTruncated: boolean;
}

export interface UsageTable {
  /**
   * Reads the counts, which are up to a few seconds behind the accepted entries. Time is proportional to the documents
   * in the range. Throws DEADLINE_EXCEEDED if that takes too long.
   */
  read(query: UsageQuery): Promise<Usage>;
}

const OTHER_GROUPS = '(other)';
/** Server-side timeout of each of the three statements, which do not stop when the caller disconnects. */
const STATEMENT_MS_MAX = 15_000;
/** Extra time for the server to report its timeout. */
const GRACE_MS = 2_000;
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const QUERY_CANCELED = '57014';

/** PostgreSQL returns counts as strings of digits. Counts do not exceed 2^53. */
type UsageRow<T> = { [K in keyof T]: T[K] extends number ? string : T[K] };

export function usageTable(database: Pool): UsageTable {
  return {
    async read(query) {
      const client = await database.connect();
      try {
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        await client.query(
          `SET LOCAL statement_timeout = ${STATEMENT_MS_MAX};
           SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_MS_MAX}`,
        );
        const usage = await readUsage(client, query);
        await client.query('COMMIT');
        client.release();
        return usage;
      } catch (error) {
        client.release(true);
        if ((error as { code?: unknown }).code !== QUERY_CANCELED) throw error;
        const message = 'The range contains too much usage to count at once; request a shorter range.';
        throw new UsageError('DEADLINE_EXCEEDED', message, { cause: error });
      }
    },
  };
}

async function readUsage(client: PoolClient, query: UsageQuery): Promise<Usage> {
  const counted = await readGroups(client, query);
  // A document may have no value or several, so the values of a key do not add up to the total.
  const whole =
    query.groupBy?.by === 'metadata' ? await readGroups(client, { ...query, groupBy: null }) : counted;
  const periods = await readPeriods(
    client,
    query,
    counted.flatMap(({ group }) => group ?? []),
  );
  return {
    periods,
    groups: query.groupBy === null ? [] : counted.map(({ isTruncated: _, ...count }) => count),
    totals: {
      documents: whole.reduce((sum, { documents }) => sum + documents, 0),
      opens: whole.reduce((sum, { opens }) => sum + opens, 0),
    },
    isTruncated: counted.some(({ isTruncated }) => isTruncated),
  };
}

/** Counts for the range as a whole. */
async function readGroups(
  client: PoolClient,
  { ownerHash, groupBy, from, to, groupsMax }: UsageQuery,
): Promise<(GroupCount & { isTruncated: boolean })[]> {
  const { sql, values } = slicesOf(ownerHash, groupBy);
  const text = `WITH slices AS (${sql}),
    documents AS (${documentsOf({ from, to })}),
    opens AS (
      SELECT slice_id, sum(opens) AS opens FROM usage_counts
      WHERE slice_id IN (SELECT slice_id FROM slices) AND granularity = 'day' AND start >= $3 AND start < $4
      GROUP BY slice_id
    ),
    counts AS (
      SELECT "group", coalesce(sum(documents), 0) AS documents, sum(opens) AS opens
      FROM slices JOIN opens USING (slice_id) LEFT JOIN documents USING (slice_id) GROUP BY "group"
    ),
    ranked AS (
      SELECT *, row_number() OVER (ORDER BY documents DESC, "group" COLLATE "C") > $5 AS is_cut FROM counts
    )
    SELECT CASE WHEN is_cut THEN $6::text ELSE "group" END COLLATE "C" AS "group",
      sum(documents) AS documents, sum(opens) AS opens, bool_or(is_cut) AS "isTruncated"
    FROM ranked GROUP BY 1 ORDER BY 1`;
  const rows = await run<GroupCount & { isTruncated: boolean }>(client, text, [
    ...values,
    from,
    to,
    groupsMax,
    OTHER_GROUPS,
  ]);
  return rows.map((row) => ({ ...countOf(row), isTruncated: row.isTruncated }));
}

/** Documents of each slice in the range from $3 to $4: stored counts for a single period, else counted individually. */
function documentsOf(range: UsageRange): string {
  const period = onePeriod(range);
  if (period !== null)
    return `SELECT slice_id, documents FROM usage_counts
      WHERE slice_id IN (SELECT slice_id FROM slices) AND granularity = '${period}' AND start = $3`;
  // The bounds on the month let the planner skip other partitions.
  return `SELECT slice_id, count(*) AS documents FROM (
      SELECT DISTINCT slice_id, document FROM usage_document_months seen
      JOIN (
        SELECT m::date AS month,
          (1::bigint << (least($4::date, (m + interval '1 month')::date) - m::date)) -
          (1::bigint << (greatest($3::date, m::date) - m::date)) AS days
        FROM generate_series(date_trunc('month', $3::timestamp), $4::timestamp - interval '1 day', interval '1 month') m
      ) months USING (month)
      WHERE slice_id IN (SELECT slice_id FROM slices) AND seen.days & months.days <> 0
        AND month >= date_trunc('month', $3::timestamp)::date AND month < $4::date
    ) seen GROUP BY slice_id`;
}

function onePeriod({ from, to }: UsageRange): Granularity | null {
  if (periodEnd(from, 'day') === to) return 'day';
  return from.endsWith('-01') && periodEnd(from, 'month') === to ? 'month' : null;
}

/** The first day after the day or month that begins with `start`. */
export function periodEnd(start: string, granularity: Granularity): string {
  const end = new Date(`${start}T00:00:00Z`);
  if (granularity === 'day') end.setUTCDate(end.getUTCDate() + 1);
  else end.setUTCMonth(end.getUTCMonth() + 1);
  return end.toISOString().slice(0, 10);
}

/** `groups` are the separate groups. */
async function readPeriods(
  client: PoolClient,
  { ownerHash, groupBy, from, to, granularity }: UsageQuery,
  groups: readonly string[],
): Promise<PeriodCount[]> {
  const { sql, values } = slicesOf(ownerHash, groupBy);
  const text = `WITH slices AS (${sql})
    SELECT start::text,
      CASE WHEN "group" IS NULL OR "group" = ANY($6) THEN "group" ELSE $7::text END COLLATE "C" AS "group",
      sum(documents) AS documents, sum(opens) AS opens
    FROM slices JOIN usage_counts USING (slice_id)
    WHERE granularity = $3 AND start >= $4 AND start < $5
    GROUP BY 1, 2 ORDER BY 1, 2`;
  const rows = await run<PeriodCount>(client, text, [...values, granularity, from, to, groups, OTHER_GROUPS]);
  return rows.map((row) => ({ start: row.start, ...countOf(row) }));
}

async function run<T extends object>(
  client: PoolClient,
  text: string,
  values: unknown[],
): Promise<UsageRow<T>[]> {
  const query = { text, values, query_timeout: STATEMENT_MS_MAX + GRACE_MS } as {
    text: string;
    values: unknown[];
  };
  return (await client.query<UsageRow<T>>(query)).rows;
}

const countOf = ({ group, documents, opens }: UsageRow<GroupCount>): GroupCount => ({
  group,
  documents: Number(documents),
  opens: Number(opens),
});

/** The slices that a query reads and the group of each. $1 is the owner, $2 the metadata key. */
function slicesOf(ownerHash: Buffer, groupBy: UsageGroup): { sql: string; values: unknown[] } {
  const select = (group: string, condition: string): string =>
    `SELECT s.id AS slice_id, ${group} AS "group" FROM licenses l JOIN usage_slices s ON s.license_id = l.id
     WHERE l.owner_hash = $1 AND $2::text IS NOT NULL AND ${condition}`;
  switch (groupBy?.by) {
    case undefined:
      return { sql: select('NULL::text', `s.name = ''`), values: [ownerHash, ''] };
    case 'license':
      return { sql: select(`coalesce(l.key, 'api')`, `s.name = ''`), values: [ownerHash, ''] };
    case 'operation':
      return {
        sql: select(
          `CASE WHEN l.key IS NULL THEN s.value ELSE 'open' END`,
          `s.name = CASE WHEN l.key IS NULL THEN 'operation' ELSE '' END`,
        ),
        values: [ownerHash, ''],
      };
    case 'metadata':
      return { sql: select('s.value', `s.name = 'metadata.' || $2`), values: [ownerHash, groupBy.key] };
  }
}
