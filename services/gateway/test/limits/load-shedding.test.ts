import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { LEASE_MS, type WorkerNotice, workersOf } from '@scriptorium/shared/queue/reply';
import { countWorkers } from '@scriptorium/shared/queue/workers';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import type { Redis } from 'ioredis';
import { createLoadShedder } from '../../src/limits/load-shedding.ts';

let server: RedisServer;
let redis: Redis;

beforeAll(async () => {
  server = await startRedis();
  redis = connectPatient(new Secret(server.url));
});
afterAll(async () => {
  await disconnect(redis);
  await server.stop();
});
beforeEach(() => redis.flushall());

async function checkWith(...states: Pick<WorkerNotice, 'capacity' | 'isAway'>[]): Promise<void> {
  for (const [id, state] of states.entries()) {
    const notice = { ...state, runMsMean: 100, expiresAt: Date.now() + LEASE_MS };
    await redis.hset(workersOf('convert'), id, JSON.stringify(notice));
  }
  await createLoadShedder({
    waiting: async () => 0,
    countWorkers: () => countWorkers(redis, 'convert'),
    limits: { queueLengthMax: 100, queueWaitMsMax: 30_000 },
  }).check();
}

test('a request is refused at once, and may come again, while every worker says that it takes none', async () => {
  await expect(checkWith({ capacity: 0, isAway: true })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    retryAfterSeconds: expect.any(Number),
  });
});

test('a request waits for a worker that is starting, that has just lost its engine, or that is not there yet', async () => {
  await checkWith();
  await checkWith({ capacity: 0, isAway: false });
});

test('a worker that is away does not matter beside one that takes jobs', async () => {
  await checkWith({ capacity: 0, isAway: true }, { capacity: 2, isAway: false });
});
