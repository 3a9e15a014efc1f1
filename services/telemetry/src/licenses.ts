import { parseArgs } from 'node:util';
import { migrate } from '@scriptorium/database/migrations';
import { openDatabase } from '@scriptorium/database/pool';
import { loadConfig } from '@scriptorium/shared/config';
import { type LicenseTable, licenseTable } from '@scriptorium/usage/licenses';
import { z } from 'zod';
import { telemetrySettings } from './config.ts';

const USAGE = `npm run licenses -- list [--all]
npm run licenses -- add KEY [--organisation NAME] [--api-key key_ID] [--metadata NAME,NAME]
npm run licenses -- revoke KEY

add registers a license key, or changes the given properties. --api-key: the owner of this API key can read its usage.
--metadata: opens are also counted by the values of these names. list --all: includes unregistered keys.
Requires DATABASE_URL.
`;

const KEY = /^[\x21-\x7e]{1,200}$/;
const METADATA_KEYS_MAX = 8;

class UsageError extends Error {}

/** Runs one command and returns its output. Throws UsageError for invalid commands. */
async function run(args: string[], table: LicenseTable): Promise<string> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      organisation: { type: 'string' },
      'api-key': { type: 'string' },
      metadata: { type: 'string' },
    },
  });
  const [command, key, ...more] = positionals;
  if (command === 'list' && key === undefined) return list(table, values.all);
  if (key === undefined || more.length > 0) throw new UsageError(USAGE);
  if (!KEY.test(key)) throw new UsageError('A license key has 1 to 200 characters of visible ASCII.\n');
  switch (command) {
    case 'add': {
      const { organisation, 'api-key': apiKeyId, metadata } = values;
      const isPut = await table.put(key, { organisation, apiKeyId, metadataKeys: namesOf(metadata) });
      if (!isPut) throw new UsageError('No API key has this id; GET /v1/auth/keys lists the ids.\n');
      return 'Registered.\n';
    }
    case 'revoke':
      if (!(await table.revoke(key))) throw new UsageError('The license is not registered.\n');
      return 'Revoked. Its opens are still counted under the license.\n';
    default:
      throw new UsageError(USAGE);
  }
}

function namesOf(metadata: string | undefined): string[] | undefined {
  const names = metadata?.split(',').filter((name) => name !== '');
  if (names !== undefined && names.length > METADATA_KEYS_MAX)
    throw new UsageError(
      `At most ${METADATA_KEYS_MAX} names of metadata are possible: each costs as much as the license itself.\n`,
    );
  return names && [...new Set(names)];
}

async function list(table: LicenseTable, all: boolean): Promise<string> {
  const rows = await table.list(all);
  const day = (at: Date | null): string => at?.toISOString().slice(0, 10) ?? '-';
  const lines = rows.map((row) =>
    [
      row.key === '' ? '(others)' : row.key,
      row.organisation ?? '-',
      `documents ${row.documents}`,
      `opens ${row.opens}`,
      `registered ${day(row.registeredAt)}`,
      `revoked ${day(row.revokedAt)}`,
      row.isAssigned ? 'assigned' : 'not assigned',
      `metadata ${row.metadataKeys.join(',') || '-'}`,
    ].join('\t'),
  );
  return `${lines.join('\n')}\n`;
}

try {
  const { DATABASE_URL } = loadConfig(z.object({ DATABASE_URL: telemetrySettings.shape.DATABASE_URL }));
  const database = openDatabase(DATABASE_URL);
  try {
    await migrate(database);
    process.stdout.write(await run(process.argv.slice(2), licenseTable(database)));
  } finally {
    await database.end();
  }
} catch (error) {
  process.stderr.write(error instanceof UsageError ? error.message : `${(error as Error).message}\n`);
  process.exitCode = 1;
}
