import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { Secret } from '../../src/config.ts';
import { connectPatient, disconnect, KEY_PREFIX } from '../../src/queue/connection.ts';
import { readDepth } from '../../src/queue/depth.ts';

const NAME = 'copying';

let folder: string;
let server: RedisServer;
let redis: Redis;
let queue: Queue;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-depth-'));
  server = await startRedis({ socket: join(folder, 'redis.sock') });
  redis = connectPatient(new Secret(server.url));
  queue = new Queue(NAME, { connection: redis, prefix: KEY_PREFIX });
});
afterEach(() => queue.obliterate({ force: true }));
afterAll(async () => {
  await queue.close();
  await disconnect(redis);
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the counts of BullMQ. */
async function bullmqCounts() {
  const { wait = 0, prioritized = 0, active = 0 } = await queue.getJobCounts('wait', 'prioritized', 'active');
  const waiting = await queue.getJobs(['wait', 'prioritized']);
  const oldest = Math.min(Date.now(), ...waiting.map(({ timestamp }) => timestamp));
  return { wait, prioritized, active, oldestSeconds: (Date.now() - oldest) / 1000 };
}

/** Each look comes a moment later, on a busy machine some seconds. */
const SLOW_SECONDS = 20;

function expectOldest(oldestSeconds: number, addedSeconds: number): void {
  expect(oldestSeconds).toBeGreaterThanOrEqual(addedSeconds);
  expect(oldestSeconds).toBeLessThan(addedSeconds + SLOW_SECONDS);
}

async function expectAgreement() {
  const [depth, { oldestSeconds, ...counts }] = [await readDepth(redis, NAME), await bullmqCounts()];
  expect(depth).toMatchObject(counts);
  expect(depth.oldestSeconds).toBeGreaterThanOrEqual(0);
  expect(Math.abs(depth.oldestSeconds - oldestSeconds)).toBeLessThan(SLOW_SECONDS);
  return depth;
}

const add = (secondsAgo: number, priority = 0) =>
  queue.add(NAME, {}, { timestamp: Date.now() - secondsAgo * 1000, priority });

describe('the depth of a queue equals the counts of BullMQ', () => {
  test('for an empty queue', async () => {
    expect(await expectAgreement()).toEqual({ wait: 0, prioritized: 0, active: 0, oldestSeconds: 0 });
  });

  test('for jobs without a priority', async () => {
    for (const seconds of [300, 200, 100]) await add(seconds);
    const depth = await expectAgreement();
    expect(depth).toMatchObject({ wait: 3, prioritized: 0 });
    expectOldest(depth.oldestSeconds, 300);
  });

  test('for jobs with a priority, the oldest of which may be served last', async () => {
    await add(10, 1);
    await add(500, 40);
    await add(20, 2);
    const depth = await expectAgreement();
    expect(depth).toMatchObject({ wait: 0, prioritized: 3 });
    expectOldest(depth.oldestSeconds, 500);
  });

  test('for both, and for started jobs, which do not wait', async () => {
    const began = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    await add(900);
    const worker = new Worker(
      NAME,
      () => {
        began.resolve();
        return done.promise;
      },
      { connection: redis, prefix: KEY_PREFIX },
    );
    await began.promise;
    await add(60, 3);
    await add(30);
    const depth = await expectAgreement();
    done.resolve();
    await worker.close();
    expect(depth.active + depth.wait).toBe(2);
    expect(depth).toMatchObject({ prioritized: 1, active: 1 });
    expectOldest(depth.oldestSeconds, 60);
  });
});
