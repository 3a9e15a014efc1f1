import { afterAll } from '@jest/globals';
import { createMemoryBlobStore } from '../../src/blob/memory.ts';
import { createRedisBlobStore } from '../../src/blob/redis.ts';
import { Secret } from '../../src/config.ts';
import { connectPatient, disconnect } from '../../src/queue/connection.ts';
import { blobStoreSuite } from './store.suite.ts';

const redis = connectPatient(new Secret(process.env.REDIS_BLOB_URL ?? ''));
const queue = connectPatient(new Secret(process.env.REDIS_URL ?? ''));
afterAll(() => Promise.all([redis, queue].map(disconnect)));

const memory = createMemoryBlobStore();
blobStoreSuite('the memory', () => memory);
blobStoreSuite('the Redis', () => createRedisBlobStore(redis, queue));
