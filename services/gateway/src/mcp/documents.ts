import { createHmac } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Documents } from '@scriptorium/mcp/tool';
import { sealBlob } from '@scriptorium/sealing/blob';
import { openBytes, sealBytes } from '@scriptorium/sealing/box';
import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import { runScript, type Script } from '@scriptorium/shared/queue/script';
import type { Redis } from 'ioredis';
import { SESSION_MS, type Session } from './session.ts';

/** All documents of the sessions of one owner. Those that one call reads have as many bytes together. */
export const DOCUMENTS_MAX = 250;
export const DOCUMENTS_BYTES_MAX = 64 * 1024 * 1024;
const NAME = /^(?!\.)[^/\\\p{Cc}]{1,120}$/u;

/**
 * Adds an entry under a free name, if there is room. A field begins with the end of its session, and a value with its bytes.
 * KEYS: entries of an owner. ARGV: field, value, now, bytes, entries at most, bytes at most, time to live. Returns: 1, or 0 for
 * a name that is taken, or -1 without room.
 */
const ADD: Script = {
  name: 'scriptoriumAddDocument',
  lua: `
local now, count, bytes = tonumber(ARGV[3]), 0, tonumber(ARGV[4])
local entries = redis.call('HGETALL', KEYS[1])
for at = 1, #entries, 2 do
  if tonumber(string.match(entries[at], '^%d+')) <= now then redis.call('HDEL', KEYS[1], entries[at])
  else
    count = count + 1
    bytes = bytes + tonumber(string.match(entries[at + 1], '^%d+'))
  end
end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
if count >= tonumber(ARGV[5]) or bytes > tonumber(ARGV[6]) then return -1 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[7])
return 1
`,
};

interface Entry {
  name: string;
  ref: BlobRef;
}

/**
 * The documents of a session, for one call. They are in Redis only, sealed, and vanish with the session. `charge` throws if the bytes
 * of a document have no room here.
 */
export interface SessionDocuments extends Documents {
  /** Removes all. */
  clear(): Promise<void>;
}

export function sessionDocuments(
  redis: Redis,
  blobs: BlobStore,
  ownerHash: Buffer,
  { id, key, expiresAt }: Session,
  charge: (bytes: number) => void,
): SessionDocuments {
  const entries = `${KEY_PREFIX}:mcp:${ownerHash.toString('base64url')}`;
  const own = `${expiresAt}:${createHmac('sha256', key).update(id).digest('base64url')}:`;
  const fieldOf = (name: string): string =>
    `${own}${createHmac('sha256', key).update(`name ${name}`).digest('base64url')}`;
  const opened = (value: string): Entry =>
    JSON.parse(openBytes(key, Buffer.from(value.slice(value.indexOf(' ') + 1), 'base64')).toString());
  const checkName = (name: string): void => {
    if (!NAME.test(name))
      throw new AppError('VALIDATION_ERROR', 'A name of a document has 1 to 120 characters, and no slash.');
  };
  const all = async (): Promise<{ field: string; entry: Entry }[]> => {
    const stored = await redis.hgetall(entries).catch(unavailable('queue'));
    return Object.entries(stored)
      .filter(([field]) => field.startsWith(own))
      .map(([field, value]) => ({ field, entry: opened(value) }));
  };
  let bytesRead = 0;
  return {
    async read(name, bytesMax) {
      const value = await redis.hget(entries, fieldOf(name)).catch(unavailable('queue'));
      if (value === null) throw new AppError('NOT_FOUND', 'This session has no document of this name.');
      const { ref } = opened(value);
      if (ref.bytes > bytesMax)
        throw new AppError('PAYLOAD_TOO_LARGE', `The document has more than ${bytesMax} bytes.`);
      bytesRead += ref.bytes;
      if (bytesRead > DOCUMENTS_BYTES_MAX)
        throw new AppError('PAYLOAD_TOO_LARGE', `A call reads ${DOCUMENTS_BYTES_MAX} bytes at most.`);
      charge(ref.bytes);
      return new File([new Uint8Array(await getInput(blobs, ref))], name);
    },
    async checkNew(name) {
      checkName(name);
      if (await redis.hexists(entries, fieldOf(name)).catch(unavailable('queue'))) throw taken();
    },
    async create(name, bytes) {
      checkName(name);
      const { box, seal } = sealBlob(bytes);
      const field = fieldOf(name);
      const ref = { key: `mcp.${field}`, bytes: bytes.length, seal };
      const sealed = sealBytes(key, Buffer.from(JSON.stringify({ name, ref } satisfies Entry)));
      const values = [
        ...[field, `${bytes.length} ${sealed.toString('base64')}`, Date.now(), bytes.length],
        ...[DOCUMENTS_MAX, DOCUMENTS_BYTES_MAX, SESSION_MS],
      ];
      const added = await runScript(redis, ADD, [entries], values).catch(unavailable('queue'));
      if (added === 0) throw taken();
      if (added !== 1)
        throw new AppError(
          'PAYLOAD_TOO_LARGE',
          `Your sessions have ${DOCUMENTS_MAX} documents and ${DOCUMENTS_BYTES_MAX} bytes at most. End a session, or remove documents.`,
        );
      await blobs.put(ref.key, box, expiresAt - Date.now()).catch(async (error) => {
        await redis.hdel(entries, field).catch(() => undefined);
        return unavailable('document store')(error);
      });
    },
    async list() {
      const listed = (await all()).map(({ entry: { name, ref } }) => ({ name, bytes: ref.bytes }));
      return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async clear() {
      const found = await all();
      if (found.length === 0) return;
      await blobs.remove(found.map(({ entry }) => entry.ref.key)).catch(unavailable('document store'));
      await redis.hdel(entries, ...found.map(({ field }) => field)).catch(unavailable('queue'));
    },
  };
}

const taken = (): AppError => new AppError('VALIDATION_ERROR', 'A document has this name already.');
