import type { Database } from './pool.ts';

/** Applied in this order, each once; a number that has been released never changes. */
export const MIGRATIONS: { number: number; sql: string }[] = [
  {
    number: 1,
    sql: `
      CREATE TABLE api_keys (
        id           text PRIMARY KEY,
        key_hash     bytea NOT NULL UNIQUE,
        owner_hash   bytea NOT NULL,
        last4        text NOT NULL,
        created_at   timestamptz NOT NULL DEFAULT now(),
        last_used_on date,
        revoked_at   timestamptz
      );
      CREATE INDEX api_keys_owner ON api_keys (owner_hash) WHERE revoked_at IS NULL;
    `,
  },
];

/** Any number, the same in every process: it makes gateways that start together migrate one after the other. */
const LOCK = 724_110_981;
const MIGRATION_MS_MAX = 600_000;

/** Brings the schema up to date, in one transaction a migration. Safe to call from many processes at once. */
export async function migrate(database: Database): Promise<void> {
  const client = await database.connect();
  const run = (text: string, values?: unknown[]) =>
    client.query({ text, ...(values && { values }), query_timeout: MIGRATION_MS_MAX } as { text: string });
  try {
    await run('SELECT pg_advisory_lock($1)', [LOCK]);
    await run('CREATE TABLE IF NOT EXISTS migrations (number int PRIMARY KEY, at timestamptz DEFAULT now())');
    const { rows } = await client.query<{ number: number }>('SELECT number FROM migrations');
    const applied = new Set(rows.map((row) => row.number));
    for (const { number, sql } of MIGRATIONS.filter((migration) => !applied.has(migration.number))) {
      await run('BEGIN');
      await run(sql);
      await run('INSERT INTO migrations (number) VALUES ($1)', [number]);
      await run('COMMIT');
    }
    await run('SELECT pg_advisory_unlock($1)', [LOCK]);
    client.release();
  } catch (error) {
    // Destroys the session, and with it the transaction and the lock.
    client.release(true);
    throw error;
  }
}
