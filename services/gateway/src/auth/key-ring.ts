import { unavailable } from '@scriptorium/shared/errors';
import { hashApiKey, isWellFormed } from './api-key.ts';
import type { ApiKeyTable, KeyOwner } from './api-keys.ts';

const FOUND_MS = 30_000;
const NOT_FOUND_MS = 5_000;
const ENTRIES_MAX = 20_000;

/** Finds the owner of a key. Results are cached for a while, so that most requests need no query. */
export interface KeyRing {
  /** Returns null for a malformed, unknown or revoked key. Throws UNAVAILABLE when the database cannot be reached. */
  find(key: string): Promise<KeyOwner | null>;
  /** Removes a revoked key from the cache. */
  forget(id: string): void;
}

export function createKeyRing(table: ApiKeyTable, prefix: string): KeyRing {
  // Two caches, so that a flood of unknown keys does not evict the known ones.
  const known = createCache<KeyOwner>(FOUND_MS);
  const unknown = createCache<null>(NOT_FOUND_MS);
  let revocations = 0;
  return {
    async find(key) {
      if (!isWellFormed(key, prefix)) return null;
      const keyHash = hashApiKey(key);
      const name = keyHash.toString('base64');
      const cached = known.get(name) ?? unknown.get(name);
      if (cached !== undefined) return cached;
      const revocationsBefore = revocations;
      const owner = await table.find(keyHash).catch(unavailable('key store'));
      if (owner === null) unknown.set(name, null);
      // A row that was read before a revocation may be the revoked key.
      else if (revocations === revocationsBefore) known.set(name, owner);
      return owner;
    },
    forget(id) {
      revocations += 1;
      known.deleteWhere((owner) => owner.id === id);
    },
  };
}

interface Cache<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
  deleteWhere(condition: (value: T) => boolean): void;
}

/** Each entry expires after `ms`. A full cache drops its oldest entry. */
function createCache<T>(ms: number): Cache<T> {
  const entries = new Map<string, { value: T; until: number }>();
  return {
    get(name) {
      const entry = entries.get(name);
      return entry !== undefined && entry.until > Date.now() ? entry.value : undefined;
    },
    set(name, value) {
      entries.delete(name);
      if (entries.size >= ENTRIES_MAX) entries.delete(entries.keys().next().value ?? '');
      entries.set(name, { value, until: Date.now() + ms });
    },
    deleteWhere(condition) {
      for (const [name, { value }] of entries) if (condition(value)) entries.delete(name);
    },
  };
}
