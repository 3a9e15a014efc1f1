import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { startRedis } from '@scriptorium/testing/redis-server';
import { createRedisBlobStore } from '../../src/blob/redis.ts';
import { Secret } from '../../src/config.ts';
import { connectPatient, disconnect } from '../../src/queue/connection.ts';
import { blobStoreSuite } from './store.suite.ts';

const redis = connectPatient(new Secret(process.env.REDIS_BLOB_URL ?? ''));
const queue = connectPatient(new Secret(process.env.REDIS_URL ?? ''));
afterAll(() => Promise.all([redis, queue].map(disconnect)));

test('a full Redis refuses a blob of any size', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-full-'));
  const full = await startRedis({ socket: join(folder, 'redis.sock'), args: ['--maxmemory', '1'] });
  const connection = connectPatient(new Secret(full.url));
  const store = createRedisBlobStore(connection);
  for (const size of [0, 1, 65_536, 3_000_000])
    await expect(store.put(`full.${size}`, Buffer.alloc(size), 60_000)).rejects.toThrow('maxmemory');
  expect(await connection.dbsize()).toBe(0);
  await disconnect(connection);
  await full.stop();
  await rm(folder, { recursive: true });
});

const memory = createMemoryBlobStore();
blobStoreSuite('the memory', () => memory);
blobStoreSuite('the Redis', () => createRedisBlobStore(redis, queue));
