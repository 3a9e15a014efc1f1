import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from './cli-error.ts';

type Env = Record<string, string | undefined>;

/** What `login` stores. */
interface Stored {
  url: string;
  apiKey: string;
  email: string;
}

export interface Settings {
  url: string;
  apiKey?: string | undefined;
  /** Where the key comes from, for people. */
  source: string;
}

const LOCAL_URL = 'http://127.0.0.1:8080';
const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

function keyFileOf(env: Env): string {
  const config = isSet(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : join(env.HOME ?? homedir(), '.config');
  return join(config, 'scriptorium', 'key.json');
}

/** Returns the address of the service for a login: the one of the environment, or of the key file, or that of `npm start`. */
export async function urlFor(env: Env): Promise<string> {
  if (isSet(env.SCRIPTORIUM_URL)) return checkedUrl(env.SCRIPTORIUM_URL);
  return (await readStored(keyFileOf(env)))?.url ?? LOCAL_URL;
}

/** Returns the address and the key to use. A stored key goes to no other service than the one that issued it. */
export async function settingsOf(env: Env): Promise<Settings> {
  const file = keyFileOf(env);
  const url = await urlFor(env);
  if (isSet(env.SCRIPTORIUM_API_KEY))
    return { url, apiKey: env.SCRIPTORIUM_API_KEY.trim(), source: 'SCRIPTORIUM_API_KEY' };
  const stored = await readStored(file);
  if (stored === undefined) return { url, source: 'none' };
  if (sameService(stored.url, url)) return { url, apiKey: stored.apiKey, source: file };
  throw new CliError('KEY_MISSING', `The key in ${file} is for ${stored.url}, not for ${url}.`);
}

const sameService = (a: string, b: string): boolean => a.replace(/\/+$/, '') === b.replace(/\/+$/, '');

function checkedUrl(text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new CliError('USAGE', `SCRIPTORIUM_URL is not an http or https address: ${text}`);
}

async function readStored(file: string): Promise<Stored | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  // Windows has no such modes.
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw new CliError('KEY_FILE_UNSAFE', `Others may read ${file}.`);
  const stored = parsed(await readFile(file, 'utf8'));
  if (typeof stored?.url === 'string' && typeof stored.apiKey === 'string') return stored as Stored;
  throw new CliError('KEY_MISSING', `${file} does not hold a key.`);
}

function parsed(text: string): Partial<Stored> | undefined {
  try {
    return JSON.parse(text) as Partial<Stored>;
  } catch {
    return undefined;
  }
}

/** Stores a key so that only its user can read it, also while it is written. */
export async function storeKey(env: Env, stored: Stored): Promise<string> {
  const file = keyFileOf(env);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(stored)}\n`);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  return file;
}
