import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@scriptorium/shared/config';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import type { Redis } from 'ioredis';

const CODE_MS = 15 * 60_000;
const ATTEMPTS_MAX = 5;

/**
 * Counts the attempt before it compares, so that parallel guesses cannot share one attempt.
 * KEYS: code. ARGV: attempts. Returns: the stored MAC and the ms left, or nil.
 */
const ATTEMPT = `
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
if redis.call('HINCRBY', KEYS[1], 'attempts', 1) > tonumber(ARGV[1]) then
  redis.call('DEL', KEYS[1])
  return false
end
return {redis.call('HGET', KEYS[1], 'mac'), redis.call('PTTL', KEYS[1])}
`;

/** A correct code, which is now used up. */
export interface ClaimedCode {
  /** Makes the code valid again for its remaining time, after a failure of the service. */
  restore(): Promise<void>;
}

/** Six-digit codes that prove an address once. Only a MAC of a code is stored. A new code replaces the old one. */
export interface CodeBook {
  draw(ownerHash: Buffer): Promise<string>;
  /** Returns null for a wrong, used, expired or never issued code, and after 5 attempts. */
  claim(ownerHash: Buffer, code: string): Promise<ClaimedCode | null>;
}

export function createCodeBook(redis: Redis, pepper: Secret): CodeBook {
  const nameOf = (ownerHash: Buffer): string => `${KEY_PREFIX}:code:${ownerHash.toString('base64url')}`;
  const macOf = (ownerHash: Buffer, code: string): Buffer =>
    createHmac('sha256', pepper.reveal()).update('code:').update(ownerHash).update(code).digest();
  const store = async (name: string, mac: Buffer, ttlMs: number): Promise<void> => {
    await redis
      .multi()
      .del(name)
      .hset(name, { mac: mac.toString('hex'), attempts: 0 })
      .pexpire(name, ttlMs)
      .exec();
  };
  return {
    async draw(ownerHash) {
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      await store(nameOf(ownerHash), macOf(ownerHash, code), CODE_MS);
      return code;
    },
    async claim(ownerHash, code) {
      const name = nameOf(ownerHash);
      const mac = macOf(ownerHash, code);
      const found = (await redis.eval(ATTEMPT, 1, name, ATTEMPTS_MAX)) as [string, number] | null;
      const expected = Buffer.from(found?.[0] ?? '0'.repeat(64), 'hex');
      if (!timingSafeEqual(expected, mac) || found === null) return null;
      // If two correct claims arrive at once, only one of them removes the code.
      if ((await redis.del(name)) !== 1) return null;
      return { restore: () => store(name, mac, Math.max(1, found[1])) };
    },
  };
}
