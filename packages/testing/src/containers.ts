import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';

const PING_MS_MAX = 1_000;
const START_MS_MAX = 120_000;
const REDIS_IMAGE = 'valkey/valkey:8.1-alpine';
const POSTGRES_IMAGE = 'postgres:18-alpine';

/** Redis and PostgreSQL in containers. */
export interface Containers {
  redisUrl: string;
  redisBlobUrl: string;
  databaseUrl: string;
  stop(): Promise<void>;
}

function runtimeAddress(): { socketPath: string } | { host: string; port: number } | undefined {
  const set = process.env.DOCKER_HOST;
  if (set?.startsWith('tcp://')) {
    const { hostname, port } = new URL(set);
    return { host: hostname, port: Number(port === '' ? 2375 : port) };
  }
  const sockets = [
    set?.startsWith('unix://') ? set.slice('unix://'.length) : undefined,
    '/var/run/docker.sock',
    join(homedir(), '.docker', 'run', 'docker.sock'),
  ];
  const socketPath = sockets.find((path) => path !== undefined && existsSync(path));
  return socketPath === undefined ? undefined : { socketPath };
}

/** Whether a container engine answers its API within a second. It first checks for one, so it is quick without. */
export function hasContainerRuntime(): Promise<boolean> {
  const address = runtimeAddress();
  if (address === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const ping = request({ ...address, path: '/_ping', timeout: PING_MS_MAX }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.on('close', () => resolve(false));
    ping.end();
  });
}

/** Starts the servers in containers; testcontainers' own reaper removes them when this process dies. */
export async function startContainers(): Promise<Containers> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const redisCommand = [
    'redis-server',
    '--save',
    '',
    '--appendonly',
    'no',
    '--maxmemory-policy',
    'noeviction',
  ];
  const startRedisContainer = () =>
    new GenericContainer(REDIS_IMAGE)
      .withCommand(redisCommand)
      .withExposedPorts(6379)
      .withStartupTimeout(START_MS_MAX)
      .start();
  const startPostgresContainer = () =>
    new GenericContainer(POSTGRES_IMAGE)
      .withEnvironment({ POSTGRES_PASSWORD: 'postgres', POSTGRES_DB: 'scriptorium' })
      .withExposedPorts(5432)
      // The image starts the server twice, the first time to prepare it.
      .withWaitStrategy(Wait.forLogMessage('ready to accept connections', 2))
      .withStartupTimeout(START_MS_MAX)
      .start();
  const started = await Promise.allSettled([
    startRedisContainer(),
    startRedisContainer(),
    startPostgresContainer(),
  ]);
  const up = started.filter((result) => result.status === 'fulfilled').map((result) => result.value);
  const stop = async () => {
    await Promise.allSettled(up.map((container) => container.stop()));
  };
  const [redis, blobs, postgres] = up;
  if (redis === undefined || blobs === undefined || postgres === undefined) {
    await stop();
    const failed = started.find((result) => result.status === 'rejected');
    throw new Error('The containers did not start.', { cause: failed?.reason });
  }
  return {
    redisUrl: `redis://${redis.getHost()}:${redis.getMappedPort(6379)}`,
    redisBlobUrl: `redis://${blobs.getHost()}:${blobs.getMappedPort(6379)}`,
    databaseUrl: `postgres://postgres:postgres@${postgres.getHost()}:${postgres.getMappedPort(5432)}/scriptorium`,
    stop,
  };
}
