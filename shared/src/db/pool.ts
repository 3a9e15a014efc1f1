import pg from 'pg';
import type { Secret } from '../config.ts';

export type Database = pg.Pool;
export type Connection = pg.PoolClient;

const CONNECT_TIMEOUT_MS = 1_500;
const QUERY_TIMEOUT_MS = 1_500;
const CONNECTIONS_MAX = 10;

/** Opens nothing yet; each query fails within 1.5 s (3 s with a new connection) when PostgreSQL is away. */
export function openDatabase(url: Secret): Database {
  const pool = new pg.Pool({
    connectionString: url.reveal(),
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the next query; that query's own error tells the caller.
  pool.on('error', () => undefined);
  // The same for one that is taken from the pool and breaks between two queries; without this, that ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
