import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMailCatcher } from '@scriptorium/testing/mail-catcher';
import { preparePostgres } from '@scriptorium/testing/postgres-server';
import { startRedis } from '@scriptorium/testing/redis-server';
import { ServerError } from '@scriptorium/testing/server-process';

const SOCKET_FOLDER_BYTES_MAX = 90;

export interface ServerSettings {
  /** Absolute path. The data of PostgreSQL stays there between starts. */
  dataDir: string;
  smtpPort: number;
  maildevPort: number;
}

/** The addresses of the servers that the services need. */
export interface Servers {
  /** Paths of unix sockets. */
  redisUrl: string;
  redisBlobUrl: string;
  databaseUrl: string;
  smtpUrl: string;
  /** Address for reading the caught mail. */
  maildevUrl: string;
}

/** First Redis, without which the services report errors, and then the others. Both reject if one does not start. */
export interface LocalServers extends Servers {
  startRedis(): Promise<void>;
  startOthers(): Promise<void>;
  stop(): Promise<void>;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** The folder of the Redis sockets: the data folder, unless the path would exceed the limit of a socket address. */
function socketFolder(dataDir: string): string {
  if (Buffer.byteLength(dataDir) <= SOCKET_FOLDER_BYTES_MAX) return dataDir;
  return join(tmpdir(), `scriptorium-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`);
}

/** The socket of the Redis for queues. While something answers there, the folder is in use. */
export const queueSocket = (dataDir: string): string => join(socketFolder(dataDir), 'queue.sock');

function makeFolders(dataDir: string): void {
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  // PostgreSQL's account passes through; it cannot read the servers' own files in it.
  chmodSync(dataDir, 0o711);
  const sockets = socketFolder(dataDir);
  mkdirSync(sockets, { recursive: true, mode: 0o700 });
  if (process.getuid !== undefined && statSync(sockets).uid !== process.getuid())
    throw new ServerError(`${sockets} belongs to another account.`);
}

/**
 * Two Redis servers, PostgreSQL and a mail catcher, reachable only from this machine. Their addresses are known before they run,
 * so that the services start beside them. `redisUsers` are the words of `user` lines. `onEnd` gets the name of a store that
 * ended by itself, and the reason; it is started again.
 */
export async function prepareServers(
  { dataDir, smtpPort, maildevPort }: ServerSettings,
  redisUsers: readonly (readonly string[])[],
  onEnd: (name: string, reason: string) => void,
): Promise<LocalServers> {
  makeFolders(dataDir);
  const [redisUrl, redisBlobUrl] = [queueSocket(dataDir), join(socketFolder(dataDir), 'blobs.sock')];
  const postgres = await preparePostgres({
    folder: join(dataDir, 'postgres'),
    onEnd: (reason) => onEnd('postgres', reason),
  });
  const args = redisUsers.flatMap((words) => ['--user', ...words]);
  const logFile = (name: string) => join(dataDir, 'logs', `${name}.log`);
  const redis = (name: string, socket: string) =>
    startRedis({ socket, args, logFile: logFile(name), onEnd: (reason) => onEnd(name, reason) });
  const running: Stoppable[] = [];
  /** Each, so that a failure of one leaves none that is not known. */
  const all = async (starts: Promise<Stoppable>[]) => {
    const results = await Promise.allSettled(starts);
    for (const result of results) if (result.status === 'fulfilled') running.push(result.value);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  };
  return {
    redisUrl,
    redisBlobUrl,
    databaseUrl: postgres.url,
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    maildevUrl: `http://127.0.0.1:${maildevPort}`,
    startRedis: () => all([redis('redis-queue', redisUrl), redis('redis-blobs', redisBlobUrl)]),
    startOthers: () =>
      all([
        postgres.start().then(() => postgres),
        startMailCatcher({ folder: dataDir, smtpPort, webPort: maildevPort, logFile: logFile('mail') }),
      ]),
    stop: async () => void (await Promise.all(running.map((server) => server.stop()))),
  };
}
