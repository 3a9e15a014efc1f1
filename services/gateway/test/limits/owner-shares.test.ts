import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { createRedisBlobStore } from '@scriptorium/shared/blob/redis';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { depthKeys } from '@scriptorium/shared/queue/depth';
import type { JobShare } from '@scriptorium/shared/queue/job-handler';
import { openQueue } from '@scriptorium/shared/queue/open-queue';
import { type JobWorker, startJobWorker } from '@scriptorium/shared/queue/worker';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import type { Redis } from 'ioredis';
import { ALL_RIGHTS } from '../../src/auth/key-rights.ts';
import { ownerTag } from '../../src/limits/owner-share.ts';
import { acquireQuota } from '../../src/limits/quota.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { jobSecretOf, REPORT } from '../rigs/workers.ts';

const BUDGET_SECONDS = 1;

let rig: Rig;
let redis: Redis;
let worker: JobWorker;
/** The shares of the jobs, in the order in which they ran. */
const seen: Pick<JobShare, 'owner' | 'isOverBudget'>[] = [];
let held: Promise<void> | undefined;

beforeAll(async () => {
  rig = await startRig({ ENGINE_SECONDS_PER_MINUTE: `${BUDGET_SECONDS}` });
  redis = connectPatient(new Secret(rig.redis.url));
  worker = startJobWorker(
    convertJob,
    async (_input, { keep }, share) => {
      if (share !== undefined) seen.push({ owner: share.owner, isOverBudget: share.isOverBudget });
      share?.spend(600);
      await held;
      return {
        output: { result: keep(Buffer.from('%PDF')), contentType: 'application/pdf', report: REPORT },
      };
    },
    {
      redis,
      secret: [Buffer.from(jobSecretOf('converter'), 'hex')],
      concurrency: 1,
      blobs: createRedisBlobStore(redis, redis),
      capacity: () => 1,
      events: { answered() {}, failed() {}, dropped() {}, queueError() {} },
    },
  );
});
afterAll(async () => {
  await worker.close();
  await disconnect(redis);
  await rig.close();
});

const convert = async (key: string): Promise<number> => (await rig.post(key, docxWith(['x']))).status;

describe('an owner', () => {
  test('comes after the others once its documents have used up its engine time, with any of its keys', async () => {
    const first = await rig.newKey();
    const second = await rig.newKey(first.ownerHash);
    const other = await rig.newKey();
    expect([await convert(first.key), await convert(second.key)]).toEqual([200, 200]);
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const running = convert(other.key);
    while (seen.length < 3) await new Promise((done) => setTimeout(done, 10));
    const late = convert(second.key);
    while ((await rig.waiting('convert')) < 1) await new Promise((done) => setTimeout(done, 10));
    const early = convert((await rig.newKey()).key);
    while ((await rig.waiting('convert')) < 2) await new Promise((done) => setTimeout(done, 10));
    resolve();
    expect(await Promise.all([running, late, early])).toEqual([200, 200, 200]);
    expect(seen.map(({ isOverBudget }) => isOverBudget)).toEqual([false, false, false, false, true]);
    const [owner] = seen;
    expect(seen.map((share) => share.owner === owner?.owner)).toEqual([true, true, false, false, true]);
  });

  test('has a key with engine seconds of its own, which counts apart from the others', async () => {
    const first = await rig.newKey();
    const apart = await rig.newKey(first.ownerHash);
    await rig.database.query('UPDATE api_keys SET limits = $2 WHERE id = $1', [
      apart.id,
      { engineSecondsPerMinute: 2 },
    ]);
    const from = seen.length;
    for (const { key } of [first, first, first, apart, apart, apart, apart, apart])
      expect(await convert(key)).toBe(200);
    const shares = seen.slice(from);
    // Each document takes 0.6 s: the budget of 1 s lasts for two, that of 2 s for four.
    expect(shares.map(({ isOverBudget }) => isOverBudget)).toEqual(
      [false, false, true].concat([false, false, false, false, true]),
    );
    expect(new Set(shares.map(({ owner }) => owner)).size).toBe(2);
  });

  test('comes after the others with its jobs, too, which are else the last of as many requests as a key may have', async () => {
    const { key } = await rig.newKey();
    expect([await convert(key), await convert(key)]).toEqual([200, 200]);
    const before = seen.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const running = convert((await rig.newKey()).key);
    while (seen.length === before) await new Promise((done) => setTimeout(done, 10));
    const document = { base64: docxWith(['x']).toString('base64') };
    for (const owner of [key, (await rig.newKey()).key])
      await rig.postJson(
        owner,
        '/v1/convert?from=docx',
        { document },
        { headers: { prefer: 'respond-async' } },
      );
    while ((await rig.waiting('convert')) < 2) await new Promise((done) => setTimeout(done, 10));
    const { prioritized } = depthKeys('convert');
    const scores = (await redis.zrange(prioritized, '0', '-1', 'WITHSCORES')).filter((_, at) => at % 2 === 1);
    expect(scores.map((score) => Math.floor(Number(score) / 2 ** 32))).toEqual([9, 2_009]);
    resolve();
    expect(await running).toBe(200);
    while (seen.length < before + 3) await new Promise((done) => setTimeout(done, 10));
    expect(seen.slice(-2).map(({ isOverBudget }) => isOverBudget)).toEqual([false, true]);
  });

  test('is named by a tag that is neither its address nor what the database holds', async () => {
    const { key, id, ownerHash } = await rig.newKey();
    await convert(key);
    const owner = seen.at(-1)?.owner ?? '';
    expect(owner).toMatch(/^[\w-]{22}$/);
    expect(Buffer.from(owner, 'base64url').equals(ownerHash.subarray(0, 16))).toBe(false);
    expect([id, key].some((secret) => secret.includes(owner))).toBe(false);
  });
});

test('only the jobs that are served before a request count for its wait', async () => {
  const queue = openQueue('binding', redis, { attempts: 1 });
  for (const [at, priority] of [0, 0, 1, 1, 1, 500].entries())
    await queue.add('binding', {}, { jobId: `job_${at}`, priority });
  const limits = { inFlightMax: 10, perMinuteMax: 100, leaseMs: 60_000, engineMsPerMinute: 1_000 };
  const owner = { id: 'key_1', ownerHash: Buffer.alloc(32), rights: ALL_RIGHTS };
  const ask = (id: string) => acquireQuota(redis, owner, id, limits, ['binding']);
  expect((await ask('a')).waiting).toEqual({ binding: { all: 6, before: 2 } });
  expect((await ask('b')).waiting).toEqual({ binding: { all: 6, before: 5 } });
  await queue.obliterate({ force: true });
  await queue.close();
});

test('all trial keys are one owner, whichever network they are of', () => {
  const rights = { ...ALL_RIGHTS, origin: 'trial' as const };
  const tags = [1, 2].map((at) => ownerTag({ id: `key_${at}`, ownerHash: Buffer.alloc(32, at), rights }));
  expect(new Set(tags).size).toBe(1);
  expect(tags).not.toContain(ownerTag({ id: 'key_1', ownerHash: Buffer.alloc(32, 1), rights: ALL_RIGHTS }));
});
