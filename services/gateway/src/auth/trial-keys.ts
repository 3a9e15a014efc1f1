import { createHmac } from 'node:crypto';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import { SERVICE_PROFILE } from '@scriptorium/contracts/jobs/sign';
import type { Secret } from '@scriptorium/shared/config';
import { newId } from '@scriptorium/shared/ids';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import { runScript, type Script } from '@scriptorium/shared/queue/script';
import type { Redis } from 'ioredis';
import { hashApiKey, isWellFormed, newApiKey } from './api-key.ts';
import type { KeyOwner } from './api-keys.ts';
import type { Scope } from './key-rights.ts';
import type { KeyRing } from './key-ring.ts';

export const TRIAL_MS = 30 * 60_000;
/** Documents that are made, signed or verified with one key. A row of a batch is one. */
export const TRIAL_OPERATIONS = 20;
export const TRIAL_DOCUMENT_BYTES_MAX = 5 * 1024 * 1024;

const TRIAL_MARK = 'try_';
const SCOPES: readonly Scope[] = [
  ...(['convert', 'annotate', 'generate', 'createBatch'] as const),
  ...(['merge', 'inspectTemplate', 'sign', 'verify'] as const),
];

/** Counts operations of a key if all of them are left. KEYS: counter. ARGV: operations. Returns: what is left, or -1. */
const TAKE: Script = {
  name: 'scriptoriumTakeTrial',
  lua: `
local left = tonumber(redis.call('GET', KEYS[1]) or '0')
if left < tonumber(ARGV[1]) then return -1 end
return redis.call('DECRBY', KEYS[1], ARGV[1])
`,
};

export interface TrialKey {
  key: string;
  id: string;
  expiresAt: Date;
}

/**
 * Keys for trials without an address. They are in Redis only, as hashes, and vanish with their time. Each function throws
 * UNAVAILABLE without Redis.
 */
export interface TrialKeys {
  /** Keys of one client network have one owner. Among workers, all trial keys have one. */
  issue(network: string): Promise<TrialKey>;
  find(key: string): Promise<KeyOwner | null>;
  /** Counts operations. Returns what is left. Throws FORBIDDEN if fewer are left. */
  take(owner: KeyOwner, operations: number): Promise<number>;
}

export function trialKeys(redis: Redis, prefix: string, pepper: Secret): TrialKeys {
  const nameOf = (key: string): string => `${KEY_PREFIX}:trial:${hashApiKey(key).toString('base64url')}`;
  const leftOf = (id: string): string => `${KEY_PREFIX}:trial-left:${id}`;
  return {
    async issue(network) {
      const key = newApiKey(prefix + TRIAL_MARK);
      const id = newId('key');
      const expiresAt = new Date(Date.now() + TRIAL_MS);
      const ownerHash = createHmac('sha256', pepper.reveal()).update(`trial:${network}`).digest('base64');
      const stored = JSON.stringify({ id, ownerHash, expiresAt });
      await redis
        .multi()
        .set(leftOf(id), TRIAL_OPERATIONS, 'PX', TRIAL_MS)
        .set(nameOf(key), stored, 'PX', TRIAL_MS)
        .exec()
        .catch(unavailable('queue'));
      return { key, id, expiresAt };
    },
    async find(key) {
      if (!isWellFormed(key, prefix + TRIAL_MARK)) return null;
      const text = await redis.get(nameOf(key)).catch(unavailable('queue'));
      if (text === null) return null;
      const { id, ownerHash, expiresAt } = JSON.parse(text) as Record<string, string>;
      if (id === undefined || ownerHash === undefined || expiresAt === undefined) return null;
      return {
        id,
        ownerHash: Buffer.from(ownerHash, 'base64'),
        rights: {
          origin: 'trial',
          scopes: SCOPES,
          profiles: [SERVICE_PROFILE],
          expiresAt: new Date(expiresAt),
          limits: { requestsInFlight: 1 },
        },
      };
    },
    async take({ id }, operations) {
      const left = Number(
        await runScript(redis, TAKE, [leftOf(id)], [operations]).catch(unavailable('queue')),
      );
      if (left < 0)
        throw new AppError(
          'FORBIDDEN',
          `A trial key makes ${TRIAL_OPERATIONS} documents, and this one has fewer left.`,
        );
      return left;
    },
  };
}

/** Also finds trial keys. Keys of the database are not affected by Redis, nor the reverse. */
export function withTrialKeys(keys: KeyRing, trials: TrialKeys): KeyRing {
  return {
    find: async (key) => (await keys.find(key)) ?? (await trials.find(key)),
    forget: keys.forget,
  };
}
