import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '@scriptorium/database/pool';
import { repeatableCalls } from '../../src/deferred/repeatable-calls.ts';
import { startOwnDatabase } from '../rigs/own-database.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await startOwnDatabase());
});
afterAll(() => close());

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
