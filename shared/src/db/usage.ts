import type { Database } from './pool.ts';

/** Days are `YYYY-MM-DD` in UTC. */
export interface UsageRange {
  /** First day that counts. */
  from: string;
  /** First day that does not count any more. */
  to: string;
}

/** What numbers are told apart by; null for one number of everything together. */
export type UsageGroup = { by: 'license' } | { by: 'operation' } | { by: 'metadata'; key: string } | null;

export interface UsageQuery extends UsageRange {
  /** Whose licenses and API operations: the owner of the asking API key. */
  ownerHash: Buffer;
  groupBy: UsageGroup;
}

export interface UsageCount {
  /**
   * By license its key, and `api` for API operations; by operation its name, and `open` for opens of documents; by
   * metadata the value. Null without groups.
   */
  group: string | null;
  /** Different documents; of API operations, different requests. */
  documents: number;
  opens: number;
}

export interface PeriodCount extends UsageCount {
  /** First day of the period. */
  start: string;
}

/** Reads what has been counted. Up to a few seconds behind what was accepted. */
export interface UsageTable {
  /**
   * Counts for each day or month that begins in the range, in order; what has none is not there. A document counts once
   * in each period. For months, the range must begin and end with the first day of one.
   */
  periods(query: UsageQuery, granularity: 'day' | 'month'): Promise<PeriodCount[]>;
  /** Counts for the range as a whole, in which a document counts once. Takes time in proportion to the documents. */
  totals(query: UsageQuery): Promise<UsageCount[]>;
}

const TOTALS_MS_MAX = 20_000;

/** PostgreSQL's counts are strings of digits: a document count of more than 2^53 is not feared. */
type Row<T> = { [K in keyof T]: T[K] extends number ? string : T[K] };

export function usageTable(database: Database): UsageTable {
  return {
    async periods({ ownerHash, groupBy, from, to }, granularity) {
      const { sql, values } = slicesOf(ownerHash, groupBy);
      const { rows } = await database.query<Row<PeriodCount>>(
        `WITH slices AS (${sql})
         SELECT start::text, "group", sum(documents) AS documents, sum(opens) AS opens
         FROM slices JOIN usage_counts USING (slice_id)
         WHERE granularity = $3 AND start >= $4 AND start < $5
         GROUP BY start, "group" ORDER BY start, "group"`,
        [...values, granularity, from, to],
      );
      return rows.map((row) => ({ start: row.start, ...countOf(row) }));
    },
    async totals({ ownerHash, groupBy, from, to }) {
      const { sql, values } = slicesOf(ownerHash, groupBy);
      const text = `WITH slices AS (${sql}),
         months AS (
           SELECT m::date AS month,
             (1::bigint << (least($4::date, (m + interval '1 month')::date) - m::date)) -
             (1::bigint << (greatest($3::date, m::date) - m::date)) AS days
           FROM generate_series(date_trunc('month', $3::timestamp), $4::timestamp - interval '1 day', interval '1 month') m
         ),
         documents AS (
           SELECT "group", count(DISTINCT (slice_id, document)) AS documents
           FROM slices JOIN usage_document_months seen USING (slice_id) JOIN months USING (month)
           WHERE seen.days & months.days <> 0 GROUP BY "group"
         ),
         opens AS (
           SELECT "group", sum(opens) AS opens FROM slices JOIN usage_counts USING (slice_id)
           WHERE granularity = 'day' AND start >= $3 AND start < $4 GROUP BY "group"
         )
         SELECT opens."group", documents, opens
         FROM opens JOIN documents ON documents."group" IS NOT DISTINCT FROM opens."group" ORDER BY 1`;
      const { rows } = await database.query<Row<UsageCount>>({
        text,
        values: [...values, from, to],
        query_timeout: TOTALS_MS_MAX,
      } as { text: string; values: unknown[] });
      return rows.map(countOf);
    },
  };
}

const countOf = ({ group, documents, opens }: Row<UsageCount>): UsageCount => ({
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
