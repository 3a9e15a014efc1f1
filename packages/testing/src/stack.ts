import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasContainerRuntime, startContainers } from './containers.ts';
import { startMailCatcher } from './mail-catcher.ts';
import { startPostgres } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';
import { removeWithProcess } from './server-process.ts';

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

async function startStores(folder: string) {
  const redis = (name: string) =>
    startRedis({ socket: join(folder, `${name}.sock`), logFile: join(folder, 'logs', `redis-${name}.log`) });
  const [queue, blobs, postgres] = await allOrNone([
    redis('queue'),
    redis('blobs'),
    startPostgres({ folder: join(folder, 'postgres'), outlives: 'stop' }),
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

/** The stores may run in containers; if that fails, they run as plain processes. */
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
  return startStores(folder);
}

/** Starts a real Redis for each role, PostgreSQL and an SMTP catcher, reachable only from this machine. */
export async function startStack(): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'scriptorium-'));
  mkdirSync(join(folder, 'logs'));
  // PostgreSQL's account passes through; it cannot read the servers' own files in it.
  chmodSync(folder, 0o711);
  const keepFolder = removeWithProcess(folder);
  const discard = () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    keepFolder();
  };
  try {
    const [stores, mail] = await allOrNone([
      startTestStores(folder),
      startMailCatcher({ folder, logFile: join(folder, 'logs', 'mail.log') }),
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
export function stackEnvironment(stack: Omit<Stack, 'stop'>): Record<string, string> {
  return {
    REDIS_URL: stack.redisUrl,
    REDIS_BLOB_URL: stack.redisBlobUrl,
    DATABASE_URL: stack.databaseUrl,
    SMTP_URL: stack.smtpUrl,
    MAILDEV_URL: stack.maildevUrl,
  };
}
