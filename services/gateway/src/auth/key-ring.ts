import type { ApiKeyTable, KeyOwner } from '@scriptorium/shared/db/api-keys';
import { unavailable } from '@scriptorium/shared/errors';
import { hashApiKey, isWellFormed } from './api-key.ts';

const FOUND_MS = 30_000;
const NOT_FOUND_MS = 5_000;
const ENTRIES_MAX = 20_000;

/** Finds the owner of a key; remembers for a while, so that most requests need no database. */
export interface KeyRing {
  /** Null for a malformed, unknown or revoked key. Throws UNAVAILABLE when the database is away. */
  find(key: string): Promise<KeyOwner | null>;
  /** Drops what is remembered of a key that was revoked here. */
  forget(id: string): void;
}

export function createKeyRing(table: ApiKeyTable, prefix: string): KeyRing {
  // Apart, so that a flood of unknown keys does not push out the known ones.
  const known = createMemory<KeyOwner>(FOUND_MS);
  const unknown = createMemory<null>(NOT_FOUND_MS);
  let revocations = 0;
  return {
    async find(key) {
      if (!isWellFormed(key, prefix)) return null;
      const keyHash = hashApiKey(key);
      const name = keyHash.toString('base64');
      const remembered = known.get(name) ?? unknown.get(name);
      if (remembered !== undefined) return remembered;
      const revocationsBefore = revocations;
      const owner = await table.find(keyHash).catch(unavailable('key store'));
      if (owner === null) unknown.set(name, null);
      // What was read before a revocation may be the key that was revoked.
      else if (revocations === revocationsBefore) known.set(name, owner);
      return owner;
    },
    forget(id) {
      revocations += 1;
      known.deleteWhere((owner) => owner.id === id);
    },
  };
}

interface Memory<T> {
  get(name: string): T | undefined;
  set(name: string, value: T): void;
  deleteWhere(condition: (value: T) => boolean): void;
}

/** Forgets each entry after `ms`, and the oldest when there are too many. */
function createMemory<T>(ms: number): Memory<T> {
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
