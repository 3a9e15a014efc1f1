import type { Database } from '@scriptorium/database/pool';
import { newId } from '@scriptorium/shared/ids';
import { hashApiKey } from './api-key.ts';
import { type KeyLimits, type KeyOrigin, type KeyRights, keyLimits } from './key-rights.ts';

/** A key with everything that the operator may know of it. */
export interface ListedKey {
  id: string;
  /** As the operator wrote it; null for keys by mail, whose owner is known by a hash only. */
  owner: string | null;
  ownerHash: Buffer;
  name: string | null;
  last4: string;
  origin: KeyOrigin;
  scopes: string[] | null;
  profiles: string[] | null;
  limits: KeyLimits;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedOn: string | null;
}

export interface NewKey extends KeyRights {
  key: string;
  owner: string;
  ownerHash: Buffer;
  name: string | null;
}

/** What `change` sets; what is left out stays as it is. */
export type KeyChanges = Partial<Pick<KeyRights, 'scopes' | 'profiles' | 'expiresAt' | 'limits'>>;

/** The keys of all owners, for the operator. */
export interface IssuedKeyTable {
  /** Returns the id of the key; null if the key is already stored. */
  insert(key: NewKey): Promise<string | null>;
  /** In the order of their creation; with `all`, also revoked and expired ones. */
  list(all: boolean): Promise<ListedKey[]>;
  /** Changes an active key. Limits are merged: null removes one. Returns false without such an active key. */
  change(
    id: string,
    changes: Omit<KeyChanges, 'limits'> & { limits?: Record<string, number | null> },
  ): Promise<boolean>;
  /** Returns false without such an active key. */
  revoke(id: string): Promise<boolean>;
  /** Revokes the keys of `bootstrap` except this one. */
  revokeOtherBootstrapKeys(key: string): Promise<void>;
}

export function issuedKeyTable(database: Database): IssuedKeyTable {
  return {
    async insert({ key, owner, ownerHash, name, origin, scopes, profiles, expiresAt, limits }) {
      const { rows } = await database.query<{ id: string }>(
        `INSERT INTO api_keys
           (id, key_hash, owner_hash, last4, origin, owner, name, scopes, profiles, expires_at, limits)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (key_hash) DO NOTHING RETURNING id`,
        [
          ...[newId('key'), hashApiKey(key), ownerHash, key.slice(-4), origin, owner, name],
          ...[scopes, profiles, expiresAt, JSON.stringify(limits)],
        ],
      );
      return rows[0]?.id ?? null;
    },
    async list(all) {
      const { rows } = await database.query<Omit<ListedKey, 'limits'> & { limits: unknown }>(
        `SELECT id, owner, owner_hash AS "ownerHash", name, last4, origin, scopes, profiles, limits,
           created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt",
           last_used_on::text AS "lastUsedOn"
         FROM api_keys
         WHERE $1 OR (revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()))
         ORDER BY created_at, id`,
        [all],
      );
      return rows.map((row) => ({ ...row, limits: keyLimits.parse(row.limits) }));
    },
    async change(id, { limits = {}, ...given }) {
      const columns = { scopes: 'scopes', profiles: 'profiles', expiresAt: 'expires_at' } as const;
      const set = Object.keys(given) as (keyof typeof columns)[];
      const { rowCount } = await database.query(
        `UPDATE api_keys SET limits = jsonb_strip_nulls(limits || $2::jsonb)
           ${set.map((name, at) => `, ${columns[name]} = $${at + 3}`).join('')}
         WHERE id = $1 AND revoked_at IS NULL`,
        [id, JSON.stringify(limits), ...set.map((name) => given[name])],
      );
      return rowCount === 1;
    },
    async revoke(id) {
      const { rowCount } = await database.query(
        'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL',
        [id],
      );
      return rowCount === 1;
    },
    async revokeOtherBootstrapKeys(key) {
      await database.query(
        `UPDATE api_keys SET revoked_at = now()
         WHERE origin = 'bootstrap' AND key_hash <> $1 AND revoked_at IS NULL`,
        [hashApiKey(key)],
      );
    },
  };
}
