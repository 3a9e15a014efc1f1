import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { openQueue } from '@scriptorium/shared/queue/open-queue';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import type { Redis } from 'ioredis';
import { anotherWaits } from '../../src/shares/another-waits.ts';

let server: RedisServer;
let redis: Redis;
let queue: ReturnType<typeof openQueue>;
let count = 0;

beforeAll(async () => {
  server = await startRedis();
  redis = connectPatient(new Secret(server.url));
  queue = openQueue('convert', redis, { attempts: 1 });
});
afterAll(async () => {
  await queue.close();
  await disconnect(redis);
  await server.stop();
});

const add = (owner: string | undefined, priority: number) =>
  queue.add('convert', { owner, input: { text: 'x' } }, { jobId: `job_${count++}`, priority });

test('a job of another owner is seen, with and without a priority, and no job of the same owner', async () => {
  expect(await anotherWaits(redis, 'convert', 'ada')).toBe(false);
  await add('ada', 0);
  await add('ada', 3);
  expect(await anotherWaits(redis, 'convert', 'ada')).toBe(false);
  expect(await anotherWaits(redis, 'convert', 'ben')).toBe(true);
  const prioritized = await add('ben', 7);
  expect(await anotherWaits(redis, 'convert', 'ada')).toBe(true);
  await prioritized.remove();
  expect(await anotherWaits(redis, 'convert', 'ada')).toBe(false);
  const first = await add('ben', 0);
  expect(await anotherWaits(redis, 'convert', 'ada')).toBe(true);
  await first.remove();
});

test('jobs without an owner, from a gateway of an earlier version, count as those of one owner', async () => {
  await queue.obliterate({ force: true });
  await add(undefined, 0);
  expect(await anotherWaits(redis, 'convert', undefined)).toBe(false);
  expect(await anotherWaits(redis, 'convert', 'ada')).toBe(true);
});
