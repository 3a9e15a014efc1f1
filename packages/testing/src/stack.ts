import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasContainerRuntime, startContainers } from './containers.ts';
import { startMailCatcher } from './mail-catcher.ts';
import { startPostgres } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';
import { removeWithProcess, ServerError } from './server-process.ts';

const SOCKET_FOLDER_BYTES_MAX = 90;
export const QUEUE_SOCKET = 'queue.sock';

export interface StackOptions {
  /** Absolute path that keeps PostgreSQL's data between starts; by default a folder that `stop` removes. */
  folder?: string;
  smtpPort?: number;
  webPort?: number;
  /** The users of both Redis servers: the words of `user` lines. Only with `folder`. */
  redisUsers?: readonly (readonly string[])[];
}

/** The servers that the services need, as settings for them. */
export interface Stack {
  /** Each a `redis://` URL or the path of a unix socket. */
  redisUrl: string;
  redisBlobUrl: string;
  databaseUrl: string;
  smtpUrl: string;
  /** Address for reading the caught mail. */
  maildevUrl: string;
  stop(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** Starts them concurrently; if one fails, stops the others and then throws its error. */
async function allOrNone<T extends Stoppable[]>(starts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const results = await Promise.allSettled(starts as Promise<Stoppable>[]);
  const failed = results.find((result) => result.status === 'rejected');
  const up = results.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  if (failed === undefined) return up as unknown as T;
  await Promise.allSettled(up.map((server) => server.stop()));
  throw failed.reason;
}

/** The folder of a stack's Redis sockets: in `folder`, unless the path would exceed the limit of a socket address. */
export function socketFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= SOCKET_FOLDER_BYTES_MAX) return folder;
  return join(tmpdir(), `scriptorium-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`);
}

async function startStores(folder: string, throwAway: boolean, redisUsers: StackOptions['redisUsers'] = []) {
  const sockets = socketFolder(folder);
  mkdirSync(sockets, { recursive: true, mode: 0o700 });
  if (process.getuid !== undefined && statSync(sockets).uid !== process.getuid()) {
    throw new ServerError(`${sockets} belongs to another account.`);
  }
  const args = redisUsers.flatMap((words) => ['--user', ...words]);
  const [queue, blobs, postgres] = await allOrNone([
    startRedis({
      socket: join(sockets, QUEUE_SOCKET),
      args,
      logFile: join(folder, 'logs', 'redis-queue.log'),
    }),
    startRedis({
      socket: join(sockets, 'blobs.sock'),
      args,
      logFile: join(folder, 'logs', 'redis-blobs.log'),
    }),
    startPostgres({
      folder: join(folder, 'postgres'),
      outlives: throwAway ? 'stop' : 'power-failure',
      restarts: !throwAway,
    }),
  ]);
  return {
    redisUrl: queue.url,
    redisBlobUrl: blobs.url,
    databaseUrl: postgres.url,
    async stop() {
      await Promise.all([queue.stop(), blobs.stop(), postgres.stop()]);
    },
  };
}

/** Temporary stores may run in containers; if that fails, they run as plain processes. */
async function startTestStores(folder: string) {
  if (process.env.TEST_SERVERS !== 'local' && (await hasContainerRuntime())) {
    try {
      return await startContainers();
    } catch (error) {
      console.warn(
        `${error}\nUsing servers of this machine instead (TEST_SERVERS=local selects them directly).`,
      );
    }
  }
  return startStores(folder, true);
}

/** Starts a real Redis for each role, PostgreSQL and an SMTP catcher, reachable only from this machine. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { folder: kept, redisUsers, ...ports } = options;
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'scriptorium-'));
  mkdirSync(join(folder, 'logs'), { recursive: true });
  // PostgreSQL's account passes through; it cannot read the servers' own files in it.
  chmodSync(folder, 0o711);
  const keepFolder = kept === undefined ? removeWithProcess(folder) : () => {};
  const discard = () => {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    keepFolder();
  };
  try {
    const [stores, mail] = await allOrNone([
      kept === undefined ? startTestStores(folder) : startStores(folder, false, redisUsers),
      startMailCatcher({ ...ports, folder, logFile: join(folder, 'logs', 'mail.log') }),
    ]);
    return {
      redisUrl: stores.redisUrl,
      redisBlobUrl: stores.redisBlobUrl,
      databaseUrl: stores.databaseUrl,
      smtpUrl: mail.smtpUrl,
      maildevUrl: mail.webUrl,
      async stop() {
        await Promise.all([stores.stop(), mail.stop()]);
        discard();
      },
    };
  } catch (error) {
    discard();
    throw error;
  }
}

/** The stack as environment variables for the services and the tests. */
export function stackEnvironment(stack: Stack): Record<string, string> {
  return {
    REDIS_URL: stack.redisUrl,
    REDIS_BLOB_URL: stack.redisBlobUrl,
    DATABASE_URL: stack.databaseUrl,
    SMTP_URL: stack.smtpUrl,
    MAILDEV_URL: stack.maildevUrl,
  };
}
