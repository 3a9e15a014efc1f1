import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import { ConfigError, type Secret } from '../config.ts';
import { within } from '../health.ts';
import { orLate } from '../or-late.ts';
import { throughSentinels } from './sentinels.ts';

/** Prefix of every key. The braces put all keys in one slot of a Redis Cluster. */
export const KEY_PREFIX = '{scriptorium}';

const CONNECT_TIMEOUT_MS = 1500;
const COMMAND_TIMEOUT_MS = 1500;
const RECONNECT_DELAY_MS_MAX = 500;

const reconnecting: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_DELAY_MS_MAX),
  keepAlive: 10_000,
};

function readAuthorities(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8');
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  } catch {
    // The same mistake.
  }
  throw new ConfigError(['REDIS_CA_FILE: must be the path of a readable file with certificates in PEM']);
}

/** Its commands end in time. ioredis' `commandTimeout` also fails those whose reply waits for a process that was busy. */
class FailingFast extends Redis {
  override sendCommand(...args: Parameters<Redis['sendCommand']>): unknown {
    const [command] = args;
    const fail = () => command.reject(new Error('Command timed out'));
    orLate(command.promise, COMMAND_TIMEOUT_MS, fail).catch(() => undefined);
    return super.sendCommand(...args);
  }
}

/** How servers are reached, as settings of all services say. */
export interface RedisSettings {
  REDIS_CA_FILE?: string | undefined;
  REDIS_SENTINELS?: Secret | undefined;
}

function connect(url: Secret, settings: RedisSettings, options: RedisOptions, Client = Redis): Redis {
  const { REDIS_CA_FILE: file, REDIS_SENTINELS: sentinels } = settings;
  const authorities = file !== undefined && /^rediss:/m.test(`${url.reveal()}\n${sentinels?.reveal()}`);
  const tls = authorities ? { ca: readAuthorities(file) } : {};
  const redis = new Client(url.reveal(), {
    ...reconnecting,
    ...(url.reveal().startsWith('rediss:') && { tls }),
    ...(sentinels && throughSentinels(url.reveal(), sentinels.reveal(), tls)),
    ...options,
  });
  // Without a listener ioredis prints errors. Health checks and the errors of commands report them.
  redis.on('error', () => undefined);
  return redis;
}

/** For request paths: while Redis is down, commands fail within 1.5 s instead of waiting. */
export function connectFailingFast(url: Secret, settings: RedisSettings = {}): Redis {
  const options = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
  };
  return connect(url, settings, options, FailingFast);
}

/** For blocking reads, subscriptions and workers: commands wait for Redis to come back. */
export function connectPatient(url: Secret, settings: RedisSettings = {}): Redis {
  return connect(url, settings, { maxRetriesPerRequest: null });
}

/** Closes a connection with QUIT if it is up, at most after 1.8 s. Otherwise closes it at once. */
export async function disconnect(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') {
    redis.disconnect();
    return;
  }
  await within(redis.quit()).catch(() => redis.disconnect());
}

/** Returns the run id of a Redis server. It changes at each start; then the data in memory are lost. */
export async function readRunId(redis: Redis): Promise<string> {
  const info = await redis.info('server');
  return /run_id:(\w+)/.exec(info)?.[1] ?? '';
}

/** Sends the commands of this turn of the event loop in one write, which costs more than a small command. */
export function joinWrites({ stream }: Redis): void {
  if (stream === undefined || stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Calls `send` now, at each connect and at an interval, unless Redis is down. Returns a function that stops it. */
export function whileConnected(redis: Redis, intervalMs: number, send: () => void): () => void {
  const sendIfReady = (): void => {
    if (redis.status === 'ready') send();
  };
  redis.on('ready', sendIfReady);
  sendIfReady();
  const timer = setInterval(sendIfReady, intervalMs);
  return () => {
    clearInterval(timer);
    redis.off('ready', sendIfReady);
  };
}
