import type { ClientBase } from 'pg';
import type { Connection, Database } from './pool.ts';
import { parseEntries, type UsageEntry } from './usage-inbox.ts';
import { sliceEntries } from './usage-slices.ts';
import { type DayTally, type DocumentTally, tally } from './usage-tally.ts';

/** Any number, the same in every process: one of them counts at a time. */
const LOCK = 724_110_982;
const ROWS_MAX = 1_000;
const BYTES_MAX = 4 * 1024 * 1024;
const STATEMENT_MS_MAX = 60_000;

/** What one call has counted; `occurrences` are opens and operations. */
export interface StoredUsage {
  occurrences: number;
  /** True where the inbox held more than one call takes. */
  isMore: boolean;
}

/**
 * Takes what has been accepted out of the inbox and into the counts, in one transaction: whatever fails, either has all of
 * it. Null where another process is at it.
 */
export async function storeUsage(database: Database): Promise<StoredUsage | null> {
  const client = await database.connect();
  try {
    const patient = withPatience(client);
    await patient.query('BEGIN');
    const stored = await storeLocked(patient);
    await patient.query(stored === null ? 'ROLLBACK' : 'COMMIT');
    client.release();
    return stored;
  } catch (error) {
    // Destroys the session, and with it the transaction and the lock.
    client.release(true);
    throw error;
  }
}

/** A batch may take longer than what a request waits for. */
function withPatience(client: Connection): ClientBase {
  const query = (text: string, values?: unknown[]) =>
    client.query({ text, ...(values && { values }), query_timeout: STATEMENT_MS_MAX } as { text: string });
  return { query } as unknown as ClientBase;
}

async function storeLocked(client: ClientBase): Promise<StoredUsage | null> {
  const { rows: locks } = await client.query<{ is_ours: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1) AS is_ours',
    [LOCK],
  );
  if (!locks[0]?.is_ours) return null;
  const { ids, entries, isMore } = await readInbox(client);
  if (ids.length === 0) return { occurrences: 0, isMore };
  const sliced = await sliceEntries(client, entries);
  const { days, ever } = tally(sliced);
  for (const day of days) await storeDay(client, day);
  if (ever.slices.length > 0) await storeEver(client, ever);
  await client.query('DELETE FROM usage_inbox WHERE id = ANY($1)', [ids]);
  return { occurrences: sliced.reduce((sum, { occurrences }) => sum + occurrences.length, 0), isMore };
}

async function readInbox(
  client: ClientBase,
): Promise<{ ids: string[]; entries: UsageEntry[]; isMore: boolean }> {
  const { rows } = await client.query<{ id: string; entries: string; before: string }>(
    `SELECT id, entries FROM (
       SELECT id, entries, sum(octet_length(entries)) OVER (ORDER BY id) - octet_length(entries) AS before
       FROM (SELECT id, entries FROM usage_inbox ORDER BY id LIMIT $1) first
     ) sized WHERE before < $2`,
    [ROWS_MAX, BYTES_MAX],
  );
  const bytes = rows.reduce((sum, row) => sum + row.entries.length, 0);
  return {
    ids: rows.map(({ id }) => id),
    entries: rows.flatMap((row) => parseEntries(row.entries)),
    isMore: rows.length === ROWS_MAX || bytes >= BYTES_MAX,
  };
}

async function storeDay(
  client: ClientBase,
  { day, isOnce, slices, documents, opens }: DayTally,
): Promise<void> {
  const month = `${day.slice(0, 7)}-01`;
  await ensureMonth(client, month);
  // What a conflict leaves as it is comes back from no statement: with isOnce, only what is new is counted.
  await client.query(
    `WITH batch AS (SELECT * FROM unnest($1::int[], $2::uuid[], $3::int[]) AS batch (slice_id, document, opens)),
     stored AS (
       INSERT INTO usage_document_months AS seen (month, slice_id, document, days, opens, is_new_day)
       SELECT $4, slice_id, document, $6, opens, true FROM batch
       ON CONFLICT (slice_id, document, month) DO UPDATE
       SET days = seen.days | excluded.days, opens = seen.opens + excluded.opens,
           is_new_day = seen.days & excluded.days = 0
       WHERE NOT $7
       RETURNING slice_id, is_new_day, is_new_day AND days = $6 AS is_new_month
     ),
     documents AS (
       SELECT slice_id, count(*) FILTER (WHERE is_new_day) AS in_day, count(*) FILTER (WHERE is_new_month) AS in_month
       FROM stored GROUP BY slice_id
     ),
     opened AS (SELECT slice_id, sum(opens) AS opens FROM batch GROUP BY slice_id),
     periods AS (
       SELECT slice_id, in_day, in_month, CASE WHEN $7 THEN in_day ELSE opens END AS opens
       FROM documents JOIN opened USING (slice_id)
     )
     INSERT INTO usage_counts AS counts (slice_id, granularity, start, documents, opens)
     SELECT slice_id, 'day', $5::date, in_day, opens FROM periods
     UNION ALL SELECT slice_id, 'month', $4::date, in_month, opens FROM periods
     ON CONFLICT (slice_id, granularity, start) DO UPDATE
     SET documents = counts.documents + excluded.documents, opens = counts.opens + excluded.opens`,
    [slices, documents, opens, month, day, 1 << (Number(day.slice(8)) - 1), isOnce],
  );
}

async function storeEver(
  client: ClientBase,
  { slices, documents, firstSeen, lastSeen, opens }: DocumentTally,
): Promise<void> {
  // xmax is 0 in rows that were inserted, not updated.
  await client.query(
    `WITH batch AS (
       SELECT * FROM unnest($1::int[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::int[])
       AS batch (slice_id, document, first_seen, last_seen, opens)
     ),
     stored AS (
       INSERT INTO usage_documents AS seen (slice_id, document, first_seen, last_seen, opens) SELECT * FROM batch
       ON CONFLICT (slice_id, document) DO UPDATE
       SET first_seen = least(seen.first_seen, excluded.first_seen),
           last_seen = greatest(seen.last_seen, excluded.last_seen), opens = seen.opens + excluded.opens
       RETURNING slice_id, xmax = 0 AS is_new
     ),
     documents AS (SELECT slice_id, count(*) FILTER (WHERE is_new) AS documents FROM stored GROUP BY slice_id),
     opened AS (SELECT slice_id, sum(opens) AS opens FROM batch GROUP BY slice_id)
     INSERT INTO usage_counts AS counts (slice_id, granularity, start, documents, opens)
     SELECT slice_id, 'ever', '0001-01-01', documents, opens FROM documents JOIN opened USING (slice_id)
     ON CONFLICT (slice_id, granularity, start) DO UPDATE
     SET documents = counts.documents + excluded.documents, opens = counts.opens + excluded.opens`,
    [slices, documents, firstSeen, lastSeen, opens],
  );
}

/** Makes the month's partition; the caller's lock keeps two from making it. Attached, not made in place: that would shut out readers. */
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
