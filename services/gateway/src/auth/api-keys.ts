import type { Database } from '@scriptorium/database/pool';
import { newId } from '@scriptorium/shared/ids';
import { type KeyLimits, type KeyOrigin, type KeyRights, keyLimits } from './key-rights.ts';

/** Maximum number of active keys per address. */
export const KEYS_PER_OWNER_MAX = 10;

export interface StoredKey {
  id: string;
  last4: string;
  createdAt: Date;
  lastUsedOn: string | null;
  scopes: string[] | null;
  expiresAt: Date | null;
  limits: KeyLimits;
}

export interface KeyOwner {
  id: string;
  ownerHash: Buffer;
  rights: KeyRights;
}

/** Stores API keys as hashes of the key (SHA-256) and of the address of its owner. */
export interface ApiKeyTable {
  /** Returns null if the owner already has KEYS_PER_OWNER_MAX active keys. */
  insert(key: { keyHash: Buffer; ownerHash: Buffer; last4: string }): Promise<{ id: string } | null>;
  /** Returns the active key with this hash, which may have expired, and records the day of use. */
  find(keyHash: Buffer): Promise<KeyOwner | null>;
  /** Returns the active key with this id, if it has not expired. */
  findById(id: string): Promise<KeyOwner | null>;
  /** Returns the active keys of an owner that have not expired. */
  list(ownerHash: Buffer): Promise<StoredKey[]>;
  /** Gives an owner another hash: keys and usage belong to it from then on. */
  rename(from: Buffer, to: Buffer): Promise<void>;
  /** Returns false if the owner has no such active key. */
  revoke(ownerHash: Buffer, id: string): Promise<boolean>;
}

interface RightsRow {
  origin: KeyOrigin;
  scopes: string[] | null;
  profiles: string[] | null;
  expires_at: Date | null;
  limits: unknown;
}

interface FoundKey extends RightsRow {
  id: string;
  owner_hash: Buffer;
  used_today: boolean;
}

/** Reads the columns of a row that say what its key may do. */
export const rightsOf = ({ origin, scopes, profiles, expires_at, limits }: RightsRow): KeyRights => ({
  ...{ origin, scopes, profiles, expiresAt: expires_at },
  limits: keyLimits.parse(limits),
});

export function apiKeyTable(database: Database): ApiKeyTable {
  return {
    async insert({ keyHash, ownerHash, last4 }) {
      const { rows } = await database.query<{ id: string }>(
        `INSERT INTO api_keys (id, key_hash, owner_hash, last4)
         SELECT $1, $2, $3, $4
         WHERE (SELECT count(*) FROM api_keys WHERE owner_hash = $3 AND revoked_at IS NULL
           AND (expires_at IS NULL OR expires_at > now())) < $5
         RETURNING id`,
        [newId('key'), keyHash, ownerHash, last4, KEYS_PER_OWNER_MAX],
      );
      return rows[0] ?? null;
    },
    async find(keyHash) {
      const { rows } = await database.query<FoundKey>(
        `SELECT id, owner_hash, last_used_on IS NOT DISTINCT FROM current_date AS used_today,
           origin, scopes, profiles, expires_at, limits
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
      return { id: row.id, ownerHash: row.owner_hash, rights: rightsOf(row) };
    },
    async findById(id) {
      const { rows } = await database.query<FoundKey>(
        `SELECT id, owner_hash, origin, scopes, profiles, expires_at, limits FROM api_keys
         WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
        [id],
      );
      const [row] = rows;
      return row === undefined ? null : { id, ownerHash: row.owner_hash, rights: rightsOf(row) };
    },
    async list(ownerHash) {
      const { rows } = await database.query<Omit<StoredKey, 'limits'> & { limits: unknown }>(
        `SELECT id, last4, created_at AS "createdAt", last_used_on::text AS "lastUsedOn",
           scopes, expires_at AS "expiresAt", limits
         FROM api_keys WHERE owner_hash = $1 AND revoked_at IS NULL
           AND (expires_at IS NULL OR expires_at > now()) ORDER BY created_at, id`,
        [ownerHash],
      );
      return rows.map((row) => ({ ...row, limits: keyLimits.parse(row.limits) }));
    },
    async rename(from, to) {
      // One statement, so that both happen or none. An owner has one license of operations.
      await database.query(
        `WITH renamed AS (UPDATE api_keys SET owner_hash = $2 WHERE owner_hash = $1),
           moved AS (UPDATE jobs SET owner_hash = $2 WHERE owner_hash = $1)
         UPDATE licenses SET owner_hash = $2 WHERE owner_hash = $1 AND (key IS NOT NULL OR NOT EXISTS
           (SELECT 1 FROM licenses WHERE owner_hash = $2 AND key IS NULL))`,
        [from, to],
      );
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
