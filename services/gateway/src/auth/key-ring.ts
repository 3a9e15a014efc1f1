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
  const remembered = new Map<string, { owner: KeyOwner | null; until: number }>();
  return {
    async find(key) {
      if (!isWellFormed(key, prefix)) return null;
      const keyHash = hashApiKey(key);
      const name = keyHash.toString('base64');
      const known = remembered.get(name);
      if (known !== undefined && known.until > Date.now()) return known.owner;
      const owner = await table.find(keyHash).catch(unavailable('key store'));
      remembered.delete(name);
      if (remembered.size >= ENTRIES_MAX) remembered.delete(remembered.keys().next().value ?? '');
      remembered.set(name, { owner, until: Date.now() + (owner === null ? NOT_FOUND_MS : FOUND_MS) });
      return owner;
    },
    forget(id) {
      for (const [name, { owner }] of remembered) if (owner?.id === id) remembered.delete(name);
    },
  };
}
