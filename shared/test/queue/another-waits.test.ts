import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import type { Redis } from 'ioredis';
import { Secret } from '../../src/config.ts';
import { anotherWaits } from '../../src/queue/another-waits.ts';
import { connectPatient, disconnect } from '../../src/queue/connection.ts';
import { openQueue } from '../../src/queue/open-queue.ts';

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
