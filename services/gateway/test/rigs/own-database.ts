import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@scriptorium/database/migrations';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { startPostgres } from '@scriptorium/testing/postgres-server';

/** Starts a PostgreSQL of the test alone, with the schema. */
export async function startOwnDatabase(): Promise<{ database: Database; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-database-'));
  chmodSync(folder, 0o711);
  const postgres = await startPostgres({ folder, outlives: 'stop' });
  const database = openDatabase({ reveal: () => postgres.url });
  await migrate(database);
  return {
    database,
    async close() {
      await database.end();
      await postgres.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
