import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort, restarter, type ServerProcess, startProcess, waitUntilReady } from './server-process.ts';

export interface RedisOptions {
  /** Absolute path of a unix socket; then no TCP port is opened. */
  socket?: string;
  /** TCP port on 127.0.0.1; by default a free one, unless `socket` is given. */
  port?: number;
  /** Further settings, as on redis-server's command line: `['--maxmemory', '10mb']`. */
  args?: readonly string[];
  logFile?: string;
  /** With it, a server that ends by itself is started again, empty. It gets the reason. */
  onEnd?: (reason: string) => void;
}

/** A Redis server that a test may stop, kill, freeze and restart at the same address (it restarts empty). */
export interface RedisServer {
  /** A value for `REDIS_URL`: `redis://127.0.0.1:<port>`, or the socket's path. */
  readonly url: string;
  readonly port: number | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
}

/**
 * The Redis server binary of this machine, or undefined. Debian's redis-tools contains it as redis-check-rdb (one
 * binary that checks argv[0]), without the system service of the redis-server package.
 */
export function findRedisBinary(path = process.env.PATH ?? ''): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  for (const name of ['redis-server', 'valkey-server', 'redis-check-rdb']) {
    for (const folder of folders) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not in this folder.
      }
    }
  }
  return undefined;
}

/** Sends one PING over a new connection; rejects unless the answer is PONG. */
function ping(address: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(address);
    socket.setTimeout(1_000, () => socket.destroy(new Error('No answer to PING within 1 s.')));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      if (data.toString().startsWith('+PONG')) resolve();
      else reject(new Error(`PING was answered ${data}`));
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The connection closed before the answer to PING.')));
  });
}

/** Starts a Redis that keeps everything in memory and evicts nothing, reachable from this machine only. */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  const binary = findRedisBinary();
  if (binary === undefined) throw new Error('No redis-server found; on Debian install redis-tools.');
  const { socket, args = [], logFile, onEnd } = options;
  const port = socket === undefined ? (options.port ?? (await freePort())) : undefined;
  const where =
    socket === undefined
      ? ['--port', String(port), '--bind', '127.0.0.1']
      : ['--port', '0', '--unixsocket', socket, '--unixsocketperm', '700'];
  // A server loads the file of this name when it starts. No other program may have written one.
  const nothing = ['--dir', tmpdir(), '--dbfilename', `${randomUUID()}.rdb`];
  const fixed = ['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction', ...nothing];
  const address = socket === undefined ? { host: '127.0.0.1', port: port ?? 0 } : { path: socket };
  let server: ServerProcess | undefined;
  const again = restarter(() => redis.start(), onEnd);
  const running = () => {
    if (server === undefined) throw new Error('This Redis was not started.');
    again.rest();
    return server;
  };
  const redis: RedisServer = {
    url: socket ?? `redis://127.0.0.1:${port}`,
    port,
    async start() {
      await server?.stop();
      server = startProcess(binary, [...where, ...fixed, ...args], {
        argv0: 'redis-server',
        ...(logFile === undefined ? {} : { logFile }),
      });
      await waitUntilReady('Redis', server, () => ping(address));
      again.watch(server);
    },
    stop: () => running().stop(),
    kill: () => running().kill(),
    pause: () => server?.pause(),
    resume: () => server?.resume(),
  };
  await redis.start();
  return redis;
}
