import { free } from '@scriptorium/sealing/idle-memory';
import type { Redis } from 'ioredis';
import { joinWrites, KEY_PREFIX } from '../queue/connection.ts';
import { runScript, runScriptForBytes, type Script } from '../queue/script.ts';
import { type BlobStore, isNear, NEAR_BYTES_MAX } from './store.ts';

/**
 * A blob is a Redis list of chunks. Reading or freeing one chunk blocks the server for 0.1 ms, a 50 MB string for 168 ms.
 */
const CHUNK_BYTES = 256 * 1024;

/** The key in Redis. */
export const blobName = (key: string): string => `${KEY_PREFIX}:blob:${key}`;

/** Chunks per round trip: enough for most documents, but few enough not to block Redis or the connection. */
const CHUNKS_PER_TRIP = 4;

/**
 * Stores the first chunk. One command, so that a writer that is killed in between does not leave a list without expiry.
 * A full Redis refuses only the first write of a script: for a new blob, that must be the one that needs memory.
 * KEYS: blob. ARGV: time to live ms, chunk.
 */
const PUT: Script = {
  name: 'scriptoriumPut',
  lua: `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('UNLINK', KEYS[1]) end
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
`,
};

/** Returns the chunks and removes the blob. A script copies the bytes, so it is only for a few. KEYS: blob. */
const TAKE: Script = {
  name: 'scriptoriumTake',
  lua: `
local chunks = redis.call('LRANGE', KEYS[1], 0, -1)
redis.call('UNLINK', KEYS[1])
return chunks
`,
};

function chunksOf(bytes: Uint8Array): Buffer[] {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: Buffer[] = [];
  for (let start = 0; start < whole.length; start += CHUNK_BYTES)
    chunks.push(whole.subarray(start, start + CHUNK_BYTES));
  return chunks;
}

async function readChunks(redis: Redis, name: string): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for (;;) {
    const batch = await redis.lrangeBuffer(name, chunks.length, chunks.length + CHUNKS_PER_TRIP - 1);
    chunks.push(...batch);
    if (batch.length < CHUNKS_PER_TRIP) return chunks;
  }
}

function joined(chunks: Buffer[]): Buffer | null {
  if (chunks.length < 2) return chunks[0] ?? null;
  const bytes = Buffer.concat(chunks);
  chunks.forEach(free);
  return bytes;
}

/** A store in Redis, shared by all gateways and workers. `near` goes to the Redis of the queue, for near blobs. */
export function createRedisBlobStore(redis: Redis, near = redis): BlobStore {
  const serverOf = (key: string): Redis => (isNear(key) ? near : redis);
  const store: BlobStore = {
    async put(key, bytes, ttlMs) {
      const server = serverOf(key);
      const name = blobName(key);
      // An empty blob is one empty chunk: a list without elements does not exist in Redis.
      const [first = Buffer.alloc(0), ...chunks] = chunksOf(bytes);
      joinWrites(server);
      const put: Promise<unknown> = runScript(server, PUT, [name], [ttlMs, first]);
      // RPUSHX: a list that has been removed meanwhile must not be created again without expiry.
      const pushSome = (): Promise<unknown>[] =>
        chunks.splice(0, CHUNKS_PER_TRIP - 1).map((chunk) => server.rpushx(name, chunk));
      for (let trip = [put, ...pushSome()]; trip.length > 0; trip = pushSome())
        if ((await Promise.all(trip)).includes(0)) throw new Error('the blob was lost while it was written');
    },
    async get(key) {
      return joined(await readChunks(serverOf(key), blobName(key)));
    },
    async take(key, bytes) {
      if (bytes <= NEAR_BYTES_MAX)
        return joined((await runScriptForBytes(serverOf(key), TAKE, [blobName(key)], [])) as Buffer[]);
      try {
        return await store.get(key);
      } finally {
        void store.remove([key]).catch(() => undefined);
      }
    },
    async renew(key, ttlMs) {
      return (await serverOf(key).pexpire(blobName(key), ttlMs)) === 1;
    },
    async remove(keys) {
      const unlink = async (server: Redis, names: string[]) =>
        names.length === 0 ? 0 : await server.unlink(...names.map(blobName));
      await Promise.all([
        unlink(
          redis,
          keys.filter((key) => !isNear(key)),
        ),
        unlink(near, keys.filter(isNear)),
      ]);
    },
  };
  return store;
}
