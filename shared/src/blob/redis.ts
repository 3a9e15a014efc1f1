import type { Redis } from 'ioredis';
import { KEY_PREFIX } from '../queue/connection.ts';
import type { BlobStore } from './store.ts';

/**
 * A Redis list of chunks a blob: reading or freeing one chunk holds the server for 0.1 ms, where a 50 MB string
 * would hold it for 168 ms.
 */
const CHUNK_BYTES = 256 * 1024;

const nameOf = (key: string): string => `${KEY_PREFIX}:blob:${key}`;

/** Chunks asked for at a time: most documents come with the first answer, and none holds Redis for long. */
const CHUNKS_PER_READ = 4;

async function readChunks(redis: Redis, name: string): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for (;;) {
    const batch = await redis.lrangeBuffer(name, chunks.length, chunks.length + CHUNKS_PER_READ - 1);
    chunks.push(...batch);
    if (batch.length < CHUNKS_PER_READ) return chunks;
  }
}

/** Blobs in the Redis role for bytes; works on any number of gateways and workers. */
export function createRedisBlobStore(redis: Redis): BlobStore {
  return {
    async put(key, bytes, ttlMs) {
      const name = nameOf(key);
      const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const commands: Promise<unknown>[] = [redis.unlink(name)];
      // An empty blob is one empty chunk: a list without elements does not exist in Redis.
      for (let start = 0; start === 0 || start < whole.length; start += CHUNK_BYTES) {
        commands.push(redis.rpush(name, whole.subarray(start, start + CHUNK_BYTES)));
        // With the first chunk, so that a writer that dies half-way leaves nothing that lasts.
        if (start === 0) commands.push(redis.pexpire(name, ttlMs));
      }
      await Promise.all(commands);
    },
    async get(key) {
      const chunks = await readChunks(redis, nameOf(key));
      return chunks.length === 0 ? null : Buffer.concat(chunks);
    },
    async remove(keys) {
      if (keys.length > 0) await redis.unlink(...keys.map(nameOf));
    },
  };
}
