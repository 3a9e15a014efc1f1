import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '@scriptorium/database/pool';
import type { BatchJob } from '../../src/batches/batch-job.ts';
import { BATCH_OPERATION, type StoredJob } from '../../src/deferred/job-table.ts';
import { startRunner } from '../../src/deferred/runner.ts';
import { startOwnDatabase } from '../rigs/own-database.ts';
import { inserted, OWNER, runnerParts } from '../rigs/runner-rig.ts';

let database: Database;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, close } = await startOwnDatabase());
});
afterAll(() => close());

test('a result stays if the database has written it, and its answer came too late', async () => {
  let late = 0;
  const { parts, table, held } = runnerParts(database, (real) => async (job, lease, leaseMs) => {
    const isSaved = await real.save(job, lease, leaseMs);
    if (job.state !== 'succeeded' || late++ > 0) return isSaved;
    throw new Error('Query read timeout');
  });
  const { id } = await inserted(table, held);
  const runner = startRunner(Object.assign(parts, { removalMs: 20 }));
  while (late < 2) await sleep(20);
  await runner.close();
  // What the job no longer has goes.
  while (held.has(`${id}.input`)) await sleep(20);
  const job = await table.find(OWNER, id);
  expect(job?.state).toBe('succeeded');
  expect([...held.keys()]).toContain(job?.parts?.result?.key);
});

test('a batch gives its place to one of another owner after a turn with rows, and goes on', async () => {
  const { parts, table, held } = runnerParts(database, (real) => real.save);
  const running: string[] = [];
  let areEnding = false;
  const run = async ({ jobId }: { jobId: string }, signal: AbortSignal) => {
    running.push(jobId);
    // As long as a server without ranges takes to send everything before the place of the batch.
    for (let waited = 0; running.length === 1 && waited < 150; waited++) {
      signal.throwIfAborted();
      await sleep(10);
    }
    const { start, read, output } = parts.batches.get(jobId) as BatchJob;
    read(start.nextIndex, start.nextIndex + 1);
    await output?.row({
      row: { index: start.nextIndex },
      error: { code: 'DATA_MISSING', message: '' },
    } as never);
    while (!areEnding || running.length < 3) {
      signal.throwIfAborted();
      await sleep(10);
    }
    parts.batches.get(jobId)?.ended({} as never);
    return {};
  };
  Object.assign(parts, { replay: { run }, batches: new Map(), turnMs: 100 });
  Object.assign(parts.blobs, { renew: async () => true });
  const batch = { body: '{"rows":[]}', operation: BATCH_OPERATION };
  const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const { id: long } = await inserted(table, held, { ...batch, ownerHash: first });
  const runner = startRunner(parts);
  while (running.length === 0) await sleep(20);
  const { id: other } = await inserted(table, held, { ...batch, ownerHash: second });
  while (running.length < 3) await sleep(20);
  areEnding = true;
  expect(running.slice(0, 3)).toEqual([long, other, long]);
  const states = async () => [
    (await table.find(first, long))?.state,
    (await table.find(second, other))?.state,
  ];
  while ((await states()).join() !== 'succeeded,succeeded') await sleep(20);
  await runner.close();
  expect((await table.find(first, long))?.progress?.rows).toBe(2);
});

test('a batch by row runs beside one whose answer is one file', async () => {
  const { parts, table, held } = runnerParts(database, (real) => real.save);
  let isOver = false;
  const ids: string[] = [];
  const run = async ({ jobId }: { jobId: string }, signal: AbortSignal) => {
    while (jobId === ids[0] && !isOver) {
      signal.throwIfAborted();
      await sleep(10);
    }
    parts.batches.get(jobId)?.ended({} as never);
    return {};
  };
  Object.assign(parts, { replay: { run }, batches: new Map() });
  Object.assign(parts.blobs, { renew: async () => true });
  const batch = { body: '{"rows":[]}', operation: BATCH_OPERATION };
  for (const isWhole of [true, false]) ids.push((await inserted(table, held, { ...batch, isWhole })).id);
  const runner = startRunner(parts);
  const stateOf = async (at: number) => (await table.find(OWNER, ids[at] ?? ''))?.state;
  while ((await stateOf(0)) !== 'running' || (await stateOf(1)) !== 'succeeded') await sleep(20);
  isOver = true;
  while ((await stateOf(0)) !== 'succeeded') await sleep(20);
  await runner.close();
});

test('a job whose request holds addresses only runs again when the store has lost its input, or its result', async () => {
  const { parts, table, held } = runnerParts(database, (real) => real.save);
  const put = { url: 'http://store.example/1' };
  const sent: string[] = [];
  const runs: string[] = [];
  Object.assign(parts, {
    sender: { send: async (url: string) => ({ status: sent.push(url) > 0 ? 200 : 500, text: '' }) },
    replay: {
      run: async ({ body }: { body: Buffer }) => {
        runs.push(body.toString());
        return { bytes: Buffer.from('%PDF'), contentType: 'application/pdf', headers: {} };
      },
    },
  });
  const keep = parts.blobs.put;
  const store = async (key: string, bytes: Buffer, ms: number) => {
    await keep(key, bytes, ms);
    // The store begins anew behind the first result.
    if (runs.length === 1) held.clear();
  };
  Object.assign(parts.blobs, { put: store });
  const body = '{"document":{"url":"https://example.com/a.docx"}}';
  const { id } = await inserted(table, held, {
    body,
    delivery: { tries: 0 },
    also: { body, deliver: { put } },
  });
  const { id: lost } = await inserted(table, held);
  held.clear();
  const runner = startRunner(parts);
  const ends = async () => {
    const [first, second] = [await table.find(OWNER, id), await table.find(OWNER, lost)];
    return [first?.state, second?.state, second?.error?.code].join();
  };
  while ((await ends()) !== 'succeeded,failed,INPUT_LOST') await sleep(20);
  await runner.close();
  expect([runs, sent]).toEqual([[body, body], [put.url]]);
});

test('a job waits while results of its owner that wait have all the room', async () => {
  const { parts, table, held } = runnerParts(database, (real) => real.save);
  const ownerHash = Buffer.alloc(32, 3);
  Object.assign(parts, { isFull: async (owner: Buffer) => (await table.resultBytes(owner)) > 0 });
  const [first, second] = [
    await inserted(table, held, { ownerHash }),
    await inserted(table, held, { ownerHash }),
  ];
  const find = async ({ id }: StoredJob) => (await table.find(ownerHash, id)) as StoredJob;
  const runner = startRunner(parts);
  while ((await find(second)).tries === 0) await sleep(20);
  await runner.close();
  expect([(await find(first)).state, (await find(second)).state]).toEqual(['succeeded', 'queued']);
  await table.fetched(first.id);
  expect(await table.resultBytes(ownerHash)).toBe(0);
});

test('a batch ends soon after its key was revoked', async () => {
  const { parts, table, held } = runnerParts(database, (real) => real.save);
  const ownerHash = Buffer.alloc(32, 4);
  let isRevoked = false;
  const run = async (_run: object, signal: AbortSignal) => {
    isRevoked = true;
    while (!signal.aborted) await sleep(10);
    signal.throwIfAborted();
  };
  const ownerOf = async () => (isRevoked ? null : {});
  Object.assign(parts, { replay: { run }, ownerOf, batches: new Map(), turnMs: 100 });
  Object.assign(parts.blobs, { renew: async () => true });
  const { id } = await inserted(table, held, {
    ...{ body: '{"rows":[]}', operation: BATCH_OPERATION, ownerHash },
  });
  const runner = startRunner(parts);
  while ((await table.find(ownerHash, id))?.endedAt === null) await sleep(20);
  await runner.close();
  expect(await table.find(ownerHash, id)).toMatchObject({
    state: 'failed',
    error: { code: 'AUTHENTICATION_ERROR' },
  });
});

test('a runner that closes gives back a job that its claim brings then', async () => {
  const { parts, table, held } = runnerParts(database, (real) => real.save);
  const ownerHash = Buffer.alloc(32, 5);
  const { id } = await inserted(table, held, { ownerHash });
  const closing = new AbortController();
  const isClosing = once(closing.signal, 'abort');
  let isClaimed = false;
  parts.table.claim = async (...asked) => {
    const job = await table.claim(...asked);
    isClaimed ||= job !== null;
    if (job !== null) await isClosing;
    return job;
  };
  const runner = startRunner(parts);
  while (!isClaimed) await sleep(20);
  const closed = runner.close();
  closing.abort();
  await closed;
  expect(await table.find(ownerHash, id)).toMatchObject({ state: 'queued', runs: 0 });
  expect(await table.claim('run', 'another', 1_000, [])).toMatchObject({ id });
});
