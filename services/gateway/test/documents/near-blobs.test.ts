import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomNumbers } from '@scriptorium/testing/random';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { Redis } from 'ioredis';
import { type Rig, startRig } from '../rigs/rig.ts';

let documents: RedisServer;
let rig: Rig;
let key: string;
let queue: Redis;
let store: Redis;
beforeAll(async () => {
  documents = await startRedis();
  rig = await startRig({ REDIS_BLOB_URL: documents.url });
  key = (await rig.newKey()).key;
  [queue, store] = [new Redis(rig.redis.url), new Redis(documents.url)];
});
afterAll(async () => {
  queue.disconnect();
  store.disconnect();
  await rig.close();
  await documents.stop();
});

const random = randomNumbers(43);
const bytesOf = (length: number): Buffer => Buffer.from(Array.from({ length }, () => random(256)));
const blobsIn = (redis: Redis): Promise<string[]> => redis.keys('*:blob:*');

async function untilWaiting(): Promise<void> {
  while ((await rig.waiting('convert')) === 0) await sleep(20);
}

describe('a document', () => {
  test('waits beside the queue if it is small, and in the Redis for documents if it is not', async () => {
    for (const [size, beside, apart] of [
      [64 * 1024, 1, 0],
      [64 * 1024 + 1, 0, 1],
    ] as const) {
      const caller = new AbortController();
      const asked = rig.post(key, bytesOf(size), { signal: caller.signal }).catch(() => undefined);
      await untilWaiting();
      expect([(await blobsIn(queue)).length, (await blobsIn(store)).length]).toEqual([beside, apart]);
      for (const [redis, name] of [
        ...(await blobsIn(queue)).map((name) => [queue, name] as const),
        ...(await blobsIn(store)).map((name) => [store, name] as const),
      ])
        expect(await redis.pttl(name)).toBeGreaterThan(0);
      caller.abort();
      await asked;
      while ((await blobsIn(queue)).length + (await blobsIn(store)).length > 0) await sleep(20);
    }
  });

  test('of any size comes back unchanged, whatever the size of its input', async () => {
    const sizes = [1, 65_535, 65_536, 65_537, 262_144, 262_145, 1_048_577, 3_000_000];
    const stop = await rig.convertWith(async (bytes) => Buffer.from(bytes).reverse(), 2);
    await sleep(1_100);
    for (const size of [...sizes, ...Array.from({ length: 8 }, () => 1 + random(200_000))]) {
      const bytes = bytesOf(size);
      const answer = await rig.post(key, bytes);
      const returned = Buffer.from(await answer.arrayBuffer());
      expect([answer.status, returned.equals(bytes.reverse())]).toEqual([200, true]);
    }
    while ((await blobsIn(queue)).length + (await blobsIn(store)).length > 0) await sleep(20);
    await stop();
  });

  test('that is lost beside the queue is refused with a retryable error', async () => {
    const asked = rig.post(key, bytesOf(500));
    await untilWaiting();
    expect(await queue.del(...(await blobsIn(queue)), ...['none'])).toBe(1);
    const stop = await rig.convertWith(async () => Buffer.from('%PDF'), 1);
    const answer = await asked;
    expect([answer.status, (await answer.json()) as { code: string }]).toMatchObject([
      503,
      { code: 'UNAVAILABLE' },
    ]);
    await stop();
  });
});
