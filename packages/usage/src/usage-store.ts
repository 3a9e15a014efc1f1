import type { ClientBase, Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { parseEntries } from './usage-inbox.ts';
import { sliceEntries } from './usage-slices.ts';
import { type DayTally, type Seen, tally } from './usage-tally.ts';

/** Advisory lock: only one process counts at a time. The number is arbitrary, but the same in every process. */
const LOCK = 724_110_982;
export const INBOX_ROWS_MAX = 1_000;
const BYTES_MAX = 4 * 1024 * 1024;
/** Timeout of one statement, and of the server's wait for the next. A disconnected consumer must not keep the lock. */
const PATIENCE_MS = 60_000;
const REASON_CHARS_MAX = 1_000;

/** The result of one call. `occurrences` counts opens and operations. */
export interface StoredUsage {
  occurrences: number;
  /** True if the inbox contained more than one call takes. */
  isMore: boolean;
}

/** An inbox row whose entries can never be counted. */
export class UncountableError extends Error {
  readonly id: string;
  constructor(id: string, cause: unknown) {
    super(`inbox row ${id} cannot be counted`, { cause });
    this.name = 'UncountableError';
    this.id = id;
  }
}

export interface StoreOptions {
  /** Timeout of one statement, and of the server's wait for the next. */
  patienceMs?: number;
  /** Maximum inbox rows per call. */
  rowsMax?: number;
}

/**
 * Moves accepted entries from the inbox into the counts, in one transaction. Null if another process is doing so.
 * Throws UncountableError if it took a single row and its data is invalid.
 */
export async function storeUsage(
  database: Pool,
  { patienceMs = PATIENCE_MS, rowsMax = INBOX_ROWS_MAX }: StoreOptions = {},
): Promise<StoredUsage | null> {
  const client = await database.connect();
  try {
    const patient = withPatience(client, patienceMs);
    await patient.query(
      `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = ${patienceMs};
       SET LOCAL idle_in_transaction_session_timeout = ${patienceMs}`,
    );
    const stored = await storeLocked(patient, rowsMax);
    await patient.query(stored === null ? 'ROLLBACK' : 'COMMIT');
    client.release();
    return stored;
  } catch (error) {
    // Destroys the session, with its transaction and lock.
    client.release(true);
    throw error;
  }
}

/** A batch may take longer than a request waits. */
function withPatience(client: PoolClient, patienceMs: number): ClientBase {
  const query = (text: string, values?: unknown[]) =>
    client.query({ text, ...(values && { values }), query_timeout: patienceMs } as { text: string });
  return { query } as unknown as ClientBase;
}

/** Moves an uncountable row aside for an operator to inspect. Does nothing if another process did so. */
export async function setAside(database: Pool, { id, cause }: UncountableError): Promise<void> {
  await database.query(
    `WITH taken AS (DELETE FROM usage_inbox WHERE id = $1 RETURNING id, accepted_at, entries)
     INSERT INTO usage_inbox_aside (id, accepted_at, entries, reason)
     SELECT id, accepted_at, entries, $2 FROM taken`,
    [id, String(cause).slice(0, REASON_CHARS_MAX)],
  );
}

async function storeLocked(client: ClientBase, rowsMax: number): Promise<StoredUsage | null> {
  const { rows: locks } = await client.query<{ is_ours: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1) AS is_ours',
    [LOCK],
  );
  if (!locks[0]?.is_ours) return null;
  const { rows, isMore } = await readInbox(client, rowsMax);
  const [first, second] = rows;
  if (first === undefined) return { occurrences: 0, isMore };
  try {
    return { occurrences: await count(client, rows), isMore };
  } catch (error) {
    throw second === undefined && isOfData(error) ? new UncountableError(first.id, error) : error;
  }
}

/** Whether an error is caused by the entries: JSON in another format, or values rejected with SQLSTATE 22 or 23. */
function isOfData(error: unknown): boolean {
  if (error instanceof SyntaxError || error instanceof z.ZodError) return true;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^2[23][0-9A-Z]{3}$/.test(code);
}

interface InboxRow {
  id: string;
  entries: string;
}

/** Returns the number of opens and operations. */
async function count(client: ClientBase, rows: readonly InboxRow[]): Promise<number> {
  const sliced = await sliceEntries(
    client,
    rows.flatMap(({ entries }) => parseEntries(entries)),
  );
  const wholes = new Set(sliced.flatMap(({ slices: [whole], isOnce }) => (isOnce ? [] : [whole])));
  for (const day of tally(sliced)) await storeDay(client, day, [...wholes]);
  await client.query('DELETE FROM usage_inbox WHERE id = ANY($1)', [rows.map(({ id }) => id)]);
  return sliced.reduce((sum, { occurrences }) => sum + occurrences.length, 0);
}

async function readInbox(
  client: ClientBase,
  rowsMax: number,
): Promise<{ rows: InboxRow[]; isMore: boolean }> {
  const { rows } = await client.query<InboxRow>(
    `SELECT id, entries FROM (
       SELECT id, entries, sum(octet_length(entries)) OVER (ORDER BY id) - octet_length(entries) AS before
       FROM (SELECT id, entries FROM usage_inbox ORDER BY id LIMIT $1) first
     ) sized WHERE before < $2`,
    [rowsMax, BYTES_MAX],
  );
  const bytes = rows.reduce((sum, row) => sum + row.entries.length, 0);
  return { rows, isMore: rows.length === rowsMax || bytes >= BYTES_MAX };
}

/** `wholes` are the slices that also count distinct documents over all time. */
async function storeDay(
  client: ClientBase,
  { day, isOnce, seen }: DayTally,
  wholes: readonly number[],
): Promise<void> {
  const month = `${day.slice(0, 7)}-01`;
  await ensureMonth(client, month);
  // RETURNING omits rows that a conflict leaves unchanged, so isOnce counts only new rows.
  await client.query(
    `WITH batch AS (
       SELECT slice_id, document, opens, to_timestamp(first / 1000.0) AS first, to_timestamp(last / 1000.0) AS last
       FROM unnest($1::int[], $2::uuid[], $3::int[], $4::bigint[], $5::bigint[])
       AS batch (slice_id, document, opens, first, last)
     ),
     stored AS (
       INSERT INTO usage_document_months AS seen
         (month, slice_id, document, first_seen, last_seen, days, opens, is_new_day)
       SELECT $6, slice_id, document, first, last, $8, opens, true FROM batch
       ON CONFLICT (slice_id, document, month) DO UPDATE
       SET first_seen = least(seen.first_seen, excluded.first_seen),
           last_seen = greatest(seen.last_seen, excluded.last_seen),
           days = seen.days | excluded.days,
           -- A client can open one document without limit. An overflow must not stop the counting of others.
           opens = least(seen.opens::bigint + excluded.opens, 2147483647)::int,
           is_new_day = seen.days & excluded.days = 0
       WHERE NOT $9
       RETURNING slice_id, document, is_new_day, is_new_day AND days = $8 AS is_new_month
     ),
     ever AS (
       INSERT INTO usage_documents (slice_id, document)
       SELECT slice_id, document FROM stored WHERE is_new_month AND slice_id = ANY($10::int[])
       ON CONFLICT DO NOTHING RETURNING slice_id
     ),
     periods AS (
       SELECT slice_id, in_day, in_month, in_ever, CASE WHEN $9 THEN in_day ELSE opens END AS opens
       FROM (SELECT slice_id, count(*) FILTER (WHERE is_new_day) AS in_day,
               count(*) FILTER (WHERE is_new_month) AS in_month FROM stored GROUP BY slice_id) documents
       JOIN (SELECT slice_id, sum(opens) AS opens FROM batch GROUP BY slice_id) opened USING (slice_id)
       LEFT JOIN (SELECT slice_id, count(*) AS in_ever FROM ever GROUP BY slice_id) new USING (slice_id)
     )
     INSERT INTO usage_counts AS counts (slice_id, granularity, start, documents, opens)
     SELECT slice_id, 'day', $7::date, in_day, opens FROM periods
     UNION ALL SELECT slice_id, 'month', $6::date, in_month, opens FROM periods
     UNION ALL SELECT slice_id, 'ever', '0001-01-01', coalesce(in_ever, 0), opens FROM periods
       WHERE slice_id = ANY($10::int[])
     ON CONFLICT (slice_id, granularity, start) DO UPDATE
     SET documents = counts.documents + excluded.documents, opens = counts.opens + excluded.opens`,
    [...columnsOf(seen), month, day, 1 << (Number(day.slice(8)) - 1), isOnce, arrayOf(wholes)],
  );
}

/** PostgreSQL's array syntax for values without quotes. Faster than the driver, which inspects each value. */
const arrayOf = (values: readonly (number | string)[]): string => `{${values.join(',')}}`;

const columnsOf = (seen: readonly Seen[]): string[] => [
  arrayOf(seen.map(({ slice }) => slice)),
  arrayOf(seen.map(({ document }) => document)),
  arrayOf(seen.map(({ opens }) => opens)),
  arrayOf(seen.map(({ first }) => first)),
  arrayOf(seen.map(({ last }) => last)),
];

/** Creates the month's partition. The caller's lock prevents concurrent creation. Attaching does not block readers. */
async function ensureMonth(client: ClientBase, month: string): Promise<void> {
  const name = `usage_document_months_${month.slice(0, 7).replace('-', '_')}`;
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    name,
  ]);
  if (rows[0]?.exists) return;
  await client.query(
    `CREATE TABLE ${name} (LIKE usage_document_months INCLUDING ALL) WITH (fillfactor = 90)`,
  );
  await client.query(
    `ALTER TABLE usage_document_months ATTACH PARTITION ${name}
     FOR VALUES FROM ('${month}') TO (date '${month}' + interval '1 month')`,
  );
}
