import type { Pool } from 'pg';

/** A license key as its operator knows it. Kept as it is: every page that loads the client library shows it. */
export interface License {
  key: string;
  organisation: string | null;
  /** True where the owner of an API key reads its usage. */
  isAssigned: boolean;
  /** Names of metadata by whose values its opens are told apart. */
  metadataKeys: string[];
  /** Null where nobody has registered the key, though opens came with it. */
  registeredAt: Date | null;
  revokedAt: Date | null;
  documents: number;
  opens: number;
}

export interface LicenseChange {
  organisation?: string | undefined;
  /** Id of an API key, `key_…`: its owner reads the license's usage. */
  apiKeyId?: string | undefined;
  /** Counts from now on; what was counted by a name that is left out stays. */
  metadataKeys?: string[] | undefined;
}

export interface LicenseTable {
  /** Registers a key, or changes what was said of it; opens that came with it before are its own. False for an unknown API key. */
  put(key: string, change: LicenseChange): Promise<boolean>;
  /** Notes that it is no longer valid. Its opens go on being counted as its own: nothing tells those who send them. False where it is not registered. */
  revoke(key: string): Promise<boolean>;
  /** The registered ones, and with `all` those that nobody has registered. */
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
