import { parseArgs } from 'node:util';
import { PACK_ROWS_MAX } from '@scriptorium/contracts/jobs/rows';
import { migrate } from '@scriptorium/database/migrations';
import { openDatabase } from '@scriptorium/database/pool';
import { loadConfig } from '@scriptorium/shared/config';
import { z } from 'zod';
import { gatewaySettings } from '../settings/config.ts';
import { hashOwner, peppersOf } from './address.ts';
import { newApiKey } from './api-key.ts';
import { apiKeyTable } from './api-keys.ts';
import { type IssuedKeyTable, issuedKeyTable, type ListedKey } from './issued-keys.ts';
import { ALL_RIGHTS, SCOPES } from './key-rights.ts';

const USAGE = `npm run keys -- add --owner OWNER [--name NAME] [RIGHTS]
npm run keys -- list [--all] [--json]
npm run keys -- limits key_ID RIGHTS
npm run keys -- revoke key_ID
npm run keys -- draw

add issues a key and prints it once. OWNER is an e-mail address or a name; keys of one owner share their usage.
list shows the active keys of all owners; with --all, revoked and expired ones, too.
limits changes the given rights of a key, within 30 seconds at every gateway. "none" removes a restriction.
draw prints a new key that is stored nowhere, for BOOTSTRAP_API_KEY_FILE.

RIGHTS:
  --scopes NAME,NAME          operations that the key may use: ${SCOPES.join(', ')}
  --profiles NAME,NAME        profiles with whose keys it may sign
  --expires 90d|DATE          after days from now, or at a date or time such as 2027-01-31 (UTC)
  --requests-per-minute N
  --requests-in-flight N
  --rows-per-minute N         rows of batches, at least ${PACK_ROWS_MAX}
  --engine-seconds N          processor time of engines a minute before the documents of others come first; the key
                              then counts apart from the others of its owner
Requires DATABASE_URL, and for add CODE_PEPPER.
`;

const ID = /^key_[a-z2-7]{26}$/;
const OWNER_CHARS_MAX = 254;
const DAY_MS = 86_400_000;
const LIMIT_MAX = 10_000_000;
const NONE = 'none';

/** The options of `add` and `limits` for limits, with the limit that each sets. */
const LIMITS = {
  'requests-per-minute': { limit: 'requestsPerMinute', min: 1 },
  'requests-in-flight': { limit: 'requestsInFlight', min: 1 },
  // Rows are counted a pack at a time.
  'rows-per-minute': { limit: 'rowsPerMinute', min: PACK_ROWS_MAX },
  'engine-seconds': { limit: 'engineSecondsPerMinute', min: 1 },
} as const;

class UsageError extends Error {}

const text = { type: 'string' } as const;
const OPTIONS = {
  all: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  ...{ owner: text, name: text, scopes: text, profiles: text, expires: text },
  ...{
    'requests-per-minute': text,
    'requests-in-flight': text,
    'rows-per-minute': text,
    'engine-seconds': text,
  },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

interface Tools {
  table: IssuedKeyTable;
  newKey(): string;
  /** Returns the hash of an owner. What belongs to the hash with the former pepper gets this one. */
  hashOwner(owner: string): Promise<Buffer>;
}

type Command = (tools: Tools) => Promise<string>;

/** Reads a command, which returns its output when it runs. Throws UsageError for an invalid one. */
function commandOf([command, id, ...more]: string[], values: Values): Command {
  if (command === 'list' && id === undefined) return ({ table }) => list(table, values);
  if (command === 'add' && id === undefined) return additionOf(values);
  if (id === undefined || more.length > 0) throw new UsageError(USAGE);
  if (!ID.test(id)) throw new UsageError('The id of a key has the form key_…; list shows the ids.\n');
  const unknown = new UsageError('No active key has this id.\n');
  if (command === 'revoke')
    return async ({ table }) => {
      if (!(await table.revoke(id))) throw unknown;
      return 'Revoked. Gateways reject it within 30 seconds.\n';
    };
  if (command !== 'limits') throw new UsageError(USAGE);
  const rights = rightsOf(values);
  if (Object.keys(rights).length === 0) throw new UsageError(USAGE);
  return async ({ table }) => {
    if (!(await table.change(id, rights))) throw unknown;
    return 'Changed. Gateways follow within 30 seconds.\n';
  };
}

function additionOf(values: Values): Command {
  const { owner, name = null } = values;
  if (owner === undefined || owner.trim() === '') throw new UsageError('add needs --owner.\n');
  if (owner.length > OWNER_CHARS_MAX)
    throw new UsageError(`An owner has at most ${OWNER_CHARS_MAX} characters.\n`);
  // The list has one key per line, and tabs between its columns.
  if (/\p{Cc}/u.test(owner) || /\p{Cc}/u.test(name ?? ''))
    throw new UsageError('--owner and --name must not contain control characters.\n');
  const { limits = {}, ...rights } = rightsOf(values);
  const set = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null));
  return async ({ table, newKey, hashOwner: hashOf }) => {
    const key = newKey();
    const id = await table.insert({
      ...{ ...ALL_RIGHTS, ...rights, limits: set },
      ...{ key, owner, ownerHash: await hashOf(owner), name },
    });
    return `${id}\n${key}\nThis key is shown only once.\n`;
  };
}

/** Reads the rights that are given. Throws UsageError for values that cannot be. */
function rightsOf(values: Values): Parameters<IssuedKeyTable['change']>[1] {
  const limits = Object.entries(LIMITS).flatMap(([option, { limit, min }]) => {
    const value = values[option as keyof typeof LIMITS];
    return value === undefined ? [] : [[limit, limitOf(option, value, min)] as const];
  });
  const { scopes, profiles, expires } = values;
  return {
    ...(scopes !== undefined && { scopes: scopesOf(scopes) }),
    ...(profiles !== undefined && { profiles: namesOf(profiles) }),
    ...(expires !== undefined && { expiresAt: expires === NONE ? null : timeOf(expires) }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}

function limitOf(option: string, value: string, min: number): number | null {
  if (value === NONE) return null;
  if (!/^\d{1,8}$/.test(value) || Number(value) < min || Number(value) > LIMIT_MAX)
    throw new UsageError(`--${option} must be ${min} to ${LIMIT_MAX}, or none.\n`);
  return Number(value);
}

const namesOf = (value: string): string[] | null =>
  value === NONE ? null : [...new Set(value.split(',').filter((name) => name !== ''))];

function scopesOf(value: string): string[] | null {
  const names = namesOf(value);
  const unknown = names?.filter((name) => !(SCOPES as readonly string[]).includes(name)) ?? [];
  if (unknown.length > 0 || names?.length === 0)
    throw new UsageError(
      `--scopes: ${unknown.join(', ') || 'nothing'} is no operation: ${SCOPES.join(', ')}.\n`,
    );
  return names;
}

function timeOf(value: string): Date {
  const [, days] = /^(\d{1,5})d$/.exec(value) ?? [];
  const time = days === undefined ? Date.parse(value) : Date.now() + Number(days) * DAY_MS;
  if (!(time > Date.now()))
    throw new UsageError('--expires must be days such as 90d, a date or a time to come, or none.\n');
  return new Date(time);
}

async function list(table: IssuedKeyTable, { all, json }: Values): Promise<string> {
  const rows = await table.list(all === true);
  if (json)
    return rows
      .map(({ ownerHash, ...row }) => `${JSON.stringify({ ...row, ownerHash: shown(ownerHash) })}\n`)
      .join('');
  return rows.map((row) => `${lineOf(row)}\n`).join('');
}

const shown = (hash: Buffer): string => hash.toString('hex').slice(0, 12);

function lineOf(row: ListedKey): string {
  const day = (at: Date | null): string => at?.toISOString().slice(0, 10) ?? '-';
  const limits = Object.entries(row.limits).map(([name, limit]) => `${name}=${limit}`);
  return [
    ...[row.id, `…${row.last4}`, row.origin, row.owner ?? `(${shown(row.ownerHash)})`, row.name ?? '-'],
    `created ${day(row.createdAt)}`,
    `used ${row.lastUsedOn ?? '-'}`,
    `expires ${day(row.expiresAt)}`,
    ...(row.revokedAt === null ? [] : [`revoked ${day(row.revokedAt)}`]),
    `scopes ${row.scopes?.join(',') ?? 'all'}`,
    `profiles ${row.profiles?.join(',') ?? 'all'}`,
    `limits ${limits.join(',') || '-'}`,
  ].join('\t');
}

const { DATABASE_URL, CODE_PEPPER, API_KEY_PREFIX } = gatewaySettings.shape;

/** Runs the command and returns its output. `env` has the settings, by default the environment. Throws UsageError for invalid commands. */
export async function keysCommand(args: string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (positionals.length === 0) throw new UsageError(USAGE);
  const { API_KEY_PREFIX: prefix } = loadConfig(z.object({ API_KEY_PREFIX }), env);
  if (positionals[0] === 'draw') return `${newApiKey(prefix)}\n`;
  const command = commandOf(positionals, values);
  const { DATABASE_URL: url } = loadConfig(z.object({ DATABASE_URL }), env);
  const database = openDatabase(url);
  try {
    await migrate(database);
    return await command({
      table: issuedKeyTable(database),
      newKey: () => newApiKey(prefix),
      async hashOwner(owner) {
        const [pepper, ...former] = peppersOf(loadConfig(z.object({ CODE_PEPPER }), env).CODE_PEPPER);
        const hash = hashOwner(owner, pepper);
        for (const one of former) await apiKeyTable(database).rename(hashOwner(owner, one), hash);
        return hash;
      },
    });
  } finally {
    await database.end();
  }
}

/** What the user reads of a failure: no stack. */
export const saidOf = (error: unknown): string =>
  error instanceof UsageError ? error.message : `${(error as Error).message}\n`;
