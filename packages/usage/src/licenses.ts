import type { Pool } from 'pg';

/** A license key. It is stored in plain text, because every page that loads the client library contains it. */
export interface License {
  key: string;
  organisation: string | null;
  /** True if the owner of an API key can read its usage. */
  isAssigned: boolean;
  /** Metadata keys by whose values its opens are grouped. */
  metadataKeys: string[];
  /** Null if the key is not registered, although opens used it. */
  registeredAt: Date | null;
  revokedAt: Date | null;
  documents: number;
  opens: number;
}

export interface LicenseChange {
  organisation?: string | undefined;
  /** Id of an API key, `key_…`. Its owner can read the license's usage. */
  apiKeyId?: string | undefined;
  /** Takes effect from now on. Earlier counts by an omitted key stay. */
  metadataKeys?: string[] | undefined;
}

export interface LicenseTable {
  /** Registers or changes a license key. Earlier opens with the key belong to it. False for an unknown API key. */
  put(key: string, change: LicenseChange): Promise<boolean>;
  /** Revokes a key. Its opens are still counted, and clients are not notified. False if it is not registered. */
  revoke(key: string): Promise<boolean>;
  /** The registered licenses. `all` includes unregistered ones. */
  list(all: boolean): Promise<License[]>;
}

export function licenseTable(database: Pool): LicenseTable {
  return {
    async put(key, { organisation, apiKeyId, metadataKeys }) {
      const { rowCount } = await database.query(
        `INSERT INTO licenses AS l (key, organisation, owner_hash, metadata_keys, registered_at)
         SELECT $1, $2, owner_hash, coalesce($4::text[], '{}'), now()
         FROM (SELECT owner_hash FROM api_keys WHERE id = $3 UNION ALL SELECT NULL WHERE $3::text IS NULL) owner
         ON CONFLICT (key) DO UPDATE
         SET organisation = coalesce($2, l.organisation), owner_hash = coalesce(excluded.owner_hash, l.owner_hash),
             metadata_keys = coalesce($4, l.metadata_keys), registered_at = coalesce(l.registered_at, now()),
             revoked_at = NULL`,
        [key, organisation ?? null, apiKeyId ?? null, metadataKeys ?? null],
      );
      return rowCount === 1;
    },
    async revoke(key) {
      const { rowCount } = await database.query(
        'UPDATE licenses SET revoked_at = coalesce(revoked_at, now()) WHERE key = $1 AND registered_at IS NOT NULL',
        [key],
      );
      return rowCount === 1;
    },
    async list(all) {
      const { rows } = await database.query<
        Omit<License, 'documents' | 'opens'> & { documents: string; opens: string }
      >(
        `SELECT l.key, l.organisation, l.owner_hash IS NOT NULL AS "isAssigned", l.metadata_keys AS "metadataKeys",
           l.registered_at AS "registeredAt", l.revoked_at AS "revokedAt",
           coalesce(c.documents, 0) AS documents, coalesce(c.opens, 0) AS opens
         FROM licenses l
         LEFT JOIN usage_slices s ON s.license_id = l.id AND s.name = ''
         LEFT JOIN usage_counts c ON c.slice_id = s.id AND c.granularity = 'ever'
         WHERE l.key IS NOT NULL AND ($1 OR l.registered_at IS NOT NULL) ORDER BY l.id`,
        [all],
      );
      return rows.map((row) => ({ ...row, documents: Number(row.documents), opens: Number(row.opens) }));
    },
  };
}
