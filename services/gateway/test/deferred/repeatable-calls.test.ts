import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '@scriptorium/database/pool';
import { sealBlob } from '@scriptorium/sealing/blob';
import { Secret } from '@scriptorium/shared/config';
import { jobSecrets } from '../../src/deferred/job-secrets.ts';
import { jobTable, newJobId } from '../../src/deferred/job-table.ts';
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

const secrets = jobSecrets(new Secret('a'.repeat(64)));
/** Keeps a job with one byte in the store, of an owner who may have `bytesMax`. */
function insert(keyHashes: readonly Buffer[], owner = ownerHash, bytesMax = 1_000) {
  const table = jobTable(database, { secrets, place: 'here', waitMsMax: 60_000, resultMs: 60_000 });
  const id = newJobId();
  const input = { key: `${id}.input`, bytes: 1, seal: sealBlob(Buffer.from('x')).seal };
  const job = {
    ...{ id, ownerHash: owner, keyId: 'key', operation: 'convert', requestHash: owner, keyHashes, held: 1 },
    ...{ delivery: null, notification: null, parts: { path: '/v1/convert', accept: '*/*', input } },
  };
  return table.insert(job, { jobsMax: 1_000, bytesMax });
}

test('of a call and two jobs with one key at a time, the call or one job is accepted', async () => {
  const calls = repeatableCalls(database);
  const outcomes = new Set<string>();
  for (let at = 0; at < 40; at++) {
    const keyHashes = [Buffer.alloc(32, 100 + at)] as const;
    const call = { ownerHash, requestId: 'r', keyHashes, requestHashes: [Buffer.alloc(32, 9)] as const };
    const begin = () =>
      calls.begin(call).then(
        () => 'call',
        (error) => error.code,
      );
    const [first, second, begun] =
      at % 2
        ? await Promise.all([insert(keyHashes), insert(keyHashes), begin()])
        : await Promise.all([begin(), insert(keyHashes), insert(keyHashes)]).then(([b, i, j]) => [i, j, b]);
    const jobs = [first, second].map((one) => (typeof one === 'string' ? one : one?.isNew ? 'new' : 'same'));
    outcomes.add([...jobs.sort(), begun].join());
  }
  for (const outcome of outcomes)
    expect(['called,called,call', 'new,same,IDEMPOTENCY_KEY_REUSED']).toContain(outcome);
});

test('jobs that come at a time have no more bytes together than one owner may have', async () => {
  const owner = Buffer.alloc(32, 7);
  const kept = await Promise.all(Array.from({ length: 12 }, () => insert([], owner, 3)));
  expect(kept.filter((one) => one !== 'bytes').length).toBe(3);
});
