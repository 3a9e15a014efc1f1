import pg from 'pg';

export type Database = pg.Pool;
export type Connection = pg.PoolClient;

const CONNECT_TIMEOUT_MS = 1_500;
const QUERY_TIMEOUT_MS = 1_500;
const CONNECTIONS_MAX = 10;

/** Creates a pool without connecting; `url` reveals a `postgres://` URL. While PostgreSQL is down, a query fails within 1.5 s (3 s with a new connection). */
export function openDatabase(url: { reveal(): string }): Database {
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  // The next query replaces a broken idle connection, and reports its own error.
  pool.on('error', () => undefined);
  // Without this listener, a checked-out connection that breaks between two queries would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
