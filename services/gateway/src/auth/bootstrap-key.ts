import { readFile } from 'node:fs/promises';
import type { Database } from '@scriptorium/database/pool';
import { ConfigError } from '@scriptorium/shared/config';
import type { GatewayConfig } from '../settings/config.ts';
import { hashOwner } from './address.ts';
import { isWellFormed } from './api-key.ts';
import { issuedKeyTable } from './issued-keys.ts';
import { ALL_RIGHTS } from './key-rights.ts';

const BOOTSTRAP_OWNER = 'bootstrap';

/** Stores the key of a file. Called once the schema is there. */
export type StoreBootstrapKey = (database: Database) => Promise<void>;

/**
 * Reads `BOOTSTRAP_API_KEY_FILE`. The returned function stores its key, and revokes the keys that the file held before; a key that was
 * revoked stays revoked. Throws ConfigError for a file that cannot be read or holds no key.
 */
export async function readBootstrapKey({
  BOOTSTRAP_API_KEY_FILE: file,
  API_KEY_PREFIX: prefix,
  CODE_PEPPER: pepper,
}: Pick<
  GatewayConfig,
  'BOOTSTRAP_API_KEY_FILE' | 'API_KEY_PREFIX' | 'CODE_PEPPER'
>): Promise<StoreBootstrapKey> {
  if (file === undefined) return async () => {};
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`BOOTSTRAP_API_KEY_FILE: cannot be read (${error.code})`]);
  });
  const key = text.trim();
  if (!isWellFormed(key, prefix))
    throw new ConfigError([
      `BOOTSTRAP_API_KEY_FILE: holds no API key with the prefix ${prefix}; \`npm run -s keys -- draw\` prints one`,
    ]);
  const ownerHash = hashOwner(BOOTSTRAP_OWNER, pepper);
  return async (database) => {
    const table = issuedKeyTable(database);
    await table.insert({
      ...{ ...ALL_RIGHTS, key, owner: BOOTSTRAP_OWNER, ownerHash, name: null },
      origin: 'bootstrap',
    });
    await table.revokeOtherBootstrapKeys(key);
  };
}
