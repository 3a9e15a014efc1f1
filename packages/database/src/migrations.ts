import type { Database } from './pool.ts';

/** Applied in this order, each once. A released migration must not change. */
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
  {
    number: 2,
    sql: `
      CREATE TABLE licenses (
        id            int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- Null: the API operations of owner_hash. Empty: the unregistered keys beyond those that are told apart.
        key           text UNIQUE,
        owner_hash    bytea,
        organisation  text,
        metadata_keys text[] NOT NULL DEFAULT '{}',
        first_seen_at timestamptz NOT NULL DEFAULT now(),
        registered_at timestamptz,
        revoked_at    timestamptz
      );
      CREATE UNIQUE INDEX licenses_operations ON licenses (owner_hash) WHERE key IS NULL;
      CREATE INDEX licenses_owner ON licenses (owner_hash);
      CREATE INDEX licenses_unregistered ON licenses (id) WHERE registered_at IS NULL AND key IS NOT NULL;
      INSERT INTO licenses (key, organisation, registered_at) VALUES
        ('community-and-eval-agplv3', 'Community and evaluation', now()),
        ('', 'Unregistered keys that are not told apart', now());

      -- What is counted by itself: a license as a whole (name and value empty), and each value of a label of its events.
      CREATE TABLE usage_slices (
        id         int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        license_id int NOT NULL REFERENCES licenses,
        name       text NOT NULL,
        value      text NOT NULL,
        UNIQUE (license_id, name, value)
      );

      -- Accepted, not counted yet. Large values stay as they are: they live for a second.
      CREATE TABLE usage_inbox (
        id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        accepted_at timestamptz NOT NULL DEFAULT now(),
        entries     text NOT NULL
      );
      ALTER TABLE usage_inbox ALTER COLUMN entries SET STORAGE EXTERNAL;

      -- What was ever opened; the rest of it is in its months.
      CREATE TABLE usage_documents (
        slice_id int NOT NULL,
        document uuid NOT NULL,
        PRIMARY KEY (slice_id, document)
      );

      -- days: one bit for each day of the month, the first being the lowest. is_new_day: what the last write found.
      CREATE TABLE usage_document_months (
        month      date NOT NULL,
        slice_id   int NOT NULL,
        document   uuid NOT NULL,
        first_seen timestamptz NOT NULL,
        last_seen  timestamptz NOT NULL,
        days       int NOT NULL,
        opens      int NOT NULL,
        is_new_day boolean NOT NULL,
        PRIMARY KEY (slice_id, document, month)
      ) PARTITION BY RANGE (month);

      -- granularity: day, month, or ever (of documents, not of operations; starts at 0001-01-01).
      CREATE TABLE usage_counts (
        slice_id    int NOT NULL,
        granularity text NOT NULL,
        start       date NOT NULL,
        documents   bigint NOT NULL,
        opens       bigint NOT NULL,
        PRIMARY KEY (slice_id, granularity, start)
      ) WITH (fillfactor = 50);
    `,
  },
  {
    number: 3,
    sql: `
      -- Rows of the inbox that cannot be counted, kept for an operator: they must not hold up all others.
      CREATE TABLE usage_inbox_aside (
        id          bigint PRIMARY KEY,
        accepted_at timestamptz NOT NULL,
        entries     text NOT NULL,
        reason      text NOT NULL
      );
    `,
  },
  {
    number: 4,
    sql: `
      -- origin: mail, operator or bootstrap. owner: as the operator wrote it. Null in scopes, profiles and expires_at: no restriction.
      ALTER TABLE api_keys
        ADD COLUMN origin text NOT NULL DEFAULT 'mail',
        ADD COLUMN owner text,
        ADD COLUMN name text,
        ADD COLUMN scopes text[],
        ADD COLUMN profiles text[],
        ADD COLUMN expires_at timestamptz,
        ADD COLUMN limits jsonb NOT NULL DEFAULT '{}';
    `,
  },
  {
    number: 5,
    sql: `
      -- Requests that are answered later. sealed: all that only gateways may read, such as addresses, keys and messages.
      -- place: the Redis that has the documents. held: their bytes in it. due_at: when a runner has something to do.
      -- leased_until: how long it belongs to the runner of lease.
      CREATE TABLE jobs (
        id              text PRIMARY KEY,
        owner_hash      bytea NOT NULL,
        key_id          text NOT NULL,
        operation       text NOT NULL,
        place           text NOT NULL,
        state           text NOT NULL DEFAULT 'queued',
        created_at      timestamptz NOT NULL DEFAULT now(),
        started_at      timestamptz,
        ended_at        timestamptz,
        due_at          timestamptz DEFAULT now(),
        lease           text,
        leased_until    timestamptz,
        runs            int NOT NULL DEFAULT 0,
        tries           int NOT NULL DEFAULT 0,
        held            bigint NOT NULL,
        sealed          bytea NOT NULL,
        idempotency     bytea,
        request_hash    bytea NOT NULL
      );
      CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX jobs_leased ON jobs (leased_until) WHERE leased_until IS NOT NULL;
      CREATE INDEX jobs_ended ON jobs (ended_at);
      CREATE INDEX jobs_owner ON jobs (owner_hash, created_at);
      CREATE INDEX jobs_under_way ON jobs (owner_hash) WHERE due_at IS NOT NULL OR held > 0;
      CREATE UNIQUE INDEX jobs_idempotency ON jobs (owner_hash, idempotency);
    `,
  },
  {
    number: 6,
    sql: `
      -- Calls with an Idempotency-Key, for 24 hours. counted_as: what the usage counts it as, also when it is repeated.
      -- busy_until: how long it counts as under way. Nothing of its answer is here.
      CREATE TABLE repeatable_calls (
        owner_hash      bytea NOT NULL,
        key_hash        bytea NOT NULL,
        request_hash    bytea NOT NULL,
        counted_as      text NOT NULL,
        created_at      timestamptz NOT NULL DEFAULT now(),
        busy_until      timestamptz,
        PRIMARY KEY (owner_hash, key_hash)
      );
      CREATE INDEX repeatable_calls_created ON repeatable_calls (created_at);
    `,
  },
  {
    number: 7,
    sql: `
      -- The answer is one file: such a batch cannot go on at a row.
      ALTER TABLE jobs ADD COLUMN is_whole boolean NOT NULL DEFAULT false;
    `,
  },
];

/** An arbitrary number, the same in every process. It serializes the migrations of gateways that start together. */
const LOCK = 724_110_981;
const MIGRATION_MS_MAX = 600_000;

const RETRY_MS = 1_000;

/** Brings the schema up to date, with one transaction per migration. Several processes may call it at the same time. */
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
    // Ends the session, and with it the transaction and the lock.
    client.release(true);
    throw error;
  }
}

/**
 * Retries the migration, and then `afterwards`, until the database is available. `isDone` returns whether both have
 * finished.
 */
export function migrateUntilDone(
  database: Database,
  onFailure: (error: unknown) => void,
  afterwards: () => Promise<void> = async () => {},
): { isDone(): boolean; stop(): void } {
  let done = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const attempt = (): void => {
    migrate(database)
      .then(afterwards)
      .then(
        () => {
          done = true;
        },
        (error) => {
          if (stopped) return;
          onFailure(error);
          timer = setTimeout(attempt, RETRY_MS);
        },
      );
  };
  attempt();
  return {
    isDone: () => done,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
