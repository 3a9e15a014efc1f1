import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '@scriptorium/database/migrations';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { repeatableCalls } from '../../src/deferred/repeatable-calls.ts';

let folder: string;
let postgres: PostgresServer;
let database: Database;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-calls-'));
  chmodSync(folder, 0o711);
  postgres = await startPostgres({ folder, outlives: 'stop' });
  database = openDatabase({ reveal: () => postgres.url });
  await migrate(database);
});
afterAll(async () => {
  await database.end();
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

const ownerHash = Buffer.alloc(32);
const call = (request: number, requestId: string) => ({
  ...{ ownerHash, requestId, keyHashes: [Buffer.alloc(32, 1)] as const },
  requestHashes: [Buffer.alloc(32, request)] as const,
});

test('a call whose gateway died goes on as itself, or gives its key to another request', async () => {
  const calls = repeatableCalls(database);
  const die = () => database.query("UPDATE repeatable_calls SET busy_until = now() - interval '1 second'");
  await calls.begin(call(1, 'first'));
  await expect(calls.begin(call(1, 'second'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
  await expect(calls.begin(call(2, 'other'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  await die();
  expect(await calls.begin(call(1, 'again'))).toMatchObject({ countedAs: 'first' });
  await die();
  const other = await calls.begin(call(2, 'other'));
  expect(other).toMatchObject({ countedAs: 'other' });
  await calls.end(ownerHash, other, false);
  await expect(calls.begin(call(1, 'first'))).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  expect(await calls.begin(call(2, 'repeated'))).toMatchObject({ countedAs: 'other' });
});
