import { unavailable } from '@scriptorium/contracts/errors';
import { hashApiKey, isWellFormed } from './api-key.ts';
import type { ApiKeyTable, KeyOwner } from './api-keys.ts';

const FOUND_MS = 30_000;
const NOT_FOUND_MS = 5_000;
/** While the database is away, keys that were valid within this time stay valid. */
export const SEEN_MS = 3_600_000;
/** Time between two queries for keys that were seen, while the database is away. */
const RETRY_MS = 2_000;
const ENTRIES_MAX = 20_000;

/** Finds the owner of a key. Results are cached for a while, so that most requests need no query. */
export interface KeyRing {
  /**
   * Returns null for a malformed, unknown or revoked key. While the database cannot be reached, it returns the owners of keys
   * that were valid within the last hour, and throws UNAVAILABLE for others.
   */
  find(key: string): Promise<KeyOwner | null>;
  /** Removes a revoked key from the cache. */
  forget(id: string): void;
}

export function createKeyRing(table: ApiKeyTable, prefix: string): KeyRing {
  // Two caches, so that a flood of unknown keys does not evict the known ones.
  const known = createCache<KeyOwner>();
  const unknown = createCache<null>();
  let revocations = 0;
  let isAway = false;
  let retryAt = 0;

  const query = async (keyHash: Buffer, name: string): Promise<KeyOwner | null> => {
    const revocationsBefore = revocations;
    try {
      const owner = await table.find(keyHash);
      isAway = false;
      if (owner === null) {
        unknown.set(name, null);
        known.delete(name);
        // A row that was read before a revocation may be the revoked key.
      } else if (revocations === revocationsBefore) known.set(name, owner);
      return owner;
    } catch (cause) {
      isAway = true;
      retryAt = Date.now() + RETRY_MS;
      return known.get(name, SEEN_MS) ?? unavailable('key store')(cause);
    }
  };
  return {
    async find(key) {
      if (!isWellFormed(key, prefix)) return null;
      const keyHash = hashApiKey(key);
      const name = keyHash.toString('base64');
      const cached = known.get(name, FOUND_MS) ?? unknown.get(name, NOT_FOUND_MS);
      if (cached !== undefined) return cached;
      const seen = known.get(name, SEEN_MS);
      if (seen === undefined || !isAway) return query(keyHash, name);
      if (Date.now() >= retryAt) {
        // One query at a time: each takes seconds to fail.
        retryAt = Number.POSITIVE_INFINITY;
        query(keyHash, name).catch(() => undefined);
      }
      return seen;
    },
    forget(id) {
      revocations += 1;
      known.deleteWhere((owner) => owner.id === id);
    },
  };
}

interface Cache<T> {
  /** Returns a value that was set within the last `ms`. */
  get(name: string, ms: number): T | undefined;
  set(name: string, value: T): void;
  delete(name: string): void;
  deleteWhere(condition: (value: T) => boolean): void;
}

/** A full cache drops its oldest entry. */
function createCache<T>(): Cache<T> {
  const entries = new Map<string, { value: T; at: number }>();
  return {
    get(name, ms) {
      const entry = entries.get(name);
      return entry !== undefined && entry.at + ms > Date.now() ? entry.value : undefined;
    },
    set(name, value) {
      entries.delete(name);
      if (entries.size >= ENTRIES_MAX) entries.delete(entries.keys().next().value ?? '');
      entries.set(name, { value, at: Date.now() });
    },
    delete: (name) => void entries.delete(name),
    deleteWhere(condition) {
      for (const [name, { value }] of entries) if (condition(value)) entries.delete(name);
    },
  };
}
