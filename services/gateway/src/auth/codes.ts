import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@scriptorium/shared/config';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import type { Redis } from 'ioredis';
import { peppersOf } from './address.ts';

const CODE_MS = 15 * 60_000;
const ATTEMPTS_MAX = 5;

/**
 * Counts the attempt before it compares, so that parallel guesses cannot share one attempt. Attempts with the id of the
 * registration and without it are counted apart. A caller without the id cannot use up those of a caller with it.
 * KEYS: code. ARGV: attempts, counter. Returns: the stored MAC and the ms left, or nil.
 */
const ATTEMPT = `
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
if redis.call('HINCRBY', KEYS[1], ARGV[2], 1) > tonumber(ARGV[1]) then return false end
return {redis.call('HGET', KEYS[1], 'mac'), redis.call('PTTL', KEYS[1])}
`;

/** Who asked for a code. */
export interface Asker {
  /** The id that the answer to the registration had. */
  registration: string;
  /** A hash of the client network. */
  network: string;
}

/** A correct code, which is now used up. */
export interface ClaimedCode {
  /** Makes the code valid again for its remaining time, after a failure of the service. */
  restore(): Promise<void>;
}

/**
 * Six-digit codes that prove an address once. Only a MAC of a code is stored. A code belongs to its registration. It is valid
 * with the id from anywhere, and without it from the network that asked last for this address from there.
 */
export interface CodeBook {
  draw(ownerHash: Buffer, asker: Asker): Promise<string>;
  /** Returns null for a wrong, used, expired or never issued code, and after 5 attempts. */
  claim(
    ownerHash: Buffer,
    code: string,
    asker: Partial<Asker> & Pick<Asker, 'network'>,
  ): Promise<ClaimedCode | null>;
}

export function createCodeBook(redis: Redis, pepper: Secret): CodeBook {
  const nameOf = (ownerHash: Buffer, part: string): string =>
    `${KEY_PREFIX}:code:${ownerHash.toString('base64url')}:${part}`;
  const macOf = (ownerHash: Buffer, registration: string, code: string): Buffer =>
    createHmac('sha256', peppersOf(pepper)[0].reveal())
      .update('code:')
      .update(ownerHash)
      .update(`:${registration}:${code}`)
      .digest();
  const store = async (name: string, mac: Buffer, ttlMs: number): Promise<void> => {
    await redis
      .multi()
      .del(name)
      .hset(name, { mac: mac.toString('hex') })
      .pexpire(name, ttlMs)
      .exec();
  };
  return {
    async draw(ownerHash, { registration, network }) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      await store(nameOf(ownerHash, registration), macOf(ownerHash, registration, code), CODE_MS);
      await redis.set(nameOf(ownerHash, network), registration, 'PX', CODE_MS);
      return code;
    },
    async claim(ownerHash, code, { registration: named, network }) {
      const last = await redis.get(nameOf(ownerHash, network));
      const registration = named ?? last ?? 'none';
      const name = nameOf(ownerHash, registration);
      const mac = macOf(ownerHash, registration, code);
      const counter = named === undefined ? 'byNetwork' : 'byId';
      const found = (await redis.eval(ATTEMPT, 1, name, ATTEMPTS_MAX, counter)) as [string, number] | null;
      const expected = Buffer.from(found?.[0] ?? '0'.repeat(64), 'hex');
      if (!timingSafeEqual(expected, mac) || found === null) return null;
      // If two correct claims arrive at once, only one of them removes the code.
      if ((await redis.del(name)) !== 1) return null;
      return { restore: () => store(name, mac, Math.max(1, found[1])) };
    },
  };
}
