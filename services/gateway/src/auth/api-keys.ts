import type { Database } from '@scriptorium/shared/db/pool';
import { newId } from '@scriptorium/shared/ids';

/** Maximum number of active keys per address. */
export const KEYS_PER_OWNER_MAX = 10;

export interface StoredKey {
  id: string;
  last4: string;
  createdAt: Date;
  lastUsedOn: string | null;
}

export interface KeyOwner {
  id: string;
  ownerHash: Buffer;
}

/** Stores API keys as hashes of the key (SHA-256) and of the address of its owner. */
export interface ApiKeyTable {
  /** Returns null if the owner already has KEYS_PER_OWNER_MAX active keys. */
  insert(key: { keyHash: Buffer; ownerHash: Buffer; last4: string }): Promise<{ id: string } | null>;
  /** Returns the active key with this hash, and records the day of use. */
  find(keyHash: Buffer): Promise<KeyOwner | null>;
  list(ownerHash: Buffer): Promise<StoredKey[]>;
  /** Returns false if the owner has no such active key. */
  revoke(ownerHash: Buffer, id: string): Promise<boolean>;
}

export function apiKeyTable(database: Database): ApiKeyTable {
  return {
    async insert({ keyHash, ownerHash, last4 }) {
      const { rows } = await database.query<{ id: string }>(
        `INSERT INTO api_keys (id, key_hash, owner_hash, last4)
         SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM api_keys WHERE owner_hash = $3 AND revoked_at IS NULL) < $5
         RETURNING id`,
        [newId('key'), keyHash, ownerHash, last4, KEYS_PER_OWNER_MAX],
      );
      return rows[0] ?? null;
    },
    async find(keyHash) {
      const { rows } = await database.query<{ id: string; owner_hash: Buffer; used_today: boolean }>(
        `SELECT id, owner_hash, last_used_on IS NOT DISTINCT FROM current_date AS used_today
         FROM api_keys WHERE key_hash = $1 AND revoked_at IS NULL`,
        [keyHash],
      );
      const row = rows[0];
      if (row === undefined) return null;
      if (!row.used_today)
        // The key is valid even if the day of use cannot be recorded.
        void database
          .query('UPDATE api_keys SET last_used_on = current_date WHERE id = $1', [row.id])
          .catch(() => undefined);
      return { id: row.id, ownerHash: row.owner_hash };
    },
    async list(ownerHash) {
      const { rows } = await database.query<StoredKey>(
        `SELECT id, last4, created_at AS "createdAt", last_used_on::text AS "lastUsedOn"
         FROM api_keys WHERE owner_hash = $1 AND revoked_at IS NULL ORDER BY created_at, id`,
        [ownerHash],
      );
      return rows;
    },
    async revoke(ownerHash, id) {
      const { rowCount } = await database.query(
        'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND owner_hash = $2 AND revoked_at IS NULL',
        [id, ownerHash],
      );
      return rowCount === 1;
    },
  };
}
