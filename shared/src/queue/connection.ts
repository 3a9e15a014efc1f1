import { Redis, type RedisOptions } from 'ioredis';
import type { Secret } from '../config.ts';
import { within } from '../health.ts';

/** Every key of the project; the braces put them in one slot of a Redis Cluster. */
export const KEY_PREFIX = '{scriptorium}';

const CONNECT_TIMEOUT_MS = 1500;
const COMMAND_TIMEOUT_MS = 1500;
const RECONNECT_DELAY_MS_MAX = 500;

const reconnecting: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  retryStrategy: (attempt) => Math.min(attempt * 50, RECONNECT_DELAY_MS_MAX),
  keepAlive: 10_000,
};

function connect(url: Secret, options: RedisOptions): Redis {
  const redis = new Redis(url.reveal(), { ...reconnecting, ...options });
  // Without a listener ioredis prints; health and each command's own error report the loss.
  redis.on('error', () => undefined);
  return redis;
}

/** For request paths: fails within 1.5 s when Redis is away instead of queueing the command. */
export function connectFailingFast(url: Secret): Redis {
  return connect(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS,
    autoResendUnfulfilledCommands: false,
  });
}

/** For blocking reads, subscriptions and workers: waits for Redis to come back. */
export function connectPatient(url: Secret): Redis {
  return connect(url, { maxRetriesPerRequest: null });
}

/** Ends a connection: politely when it is up, at once when it is not; within 1.8 s where the server says nothing. */
export async function disconnect(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') {
    redis.disconnect();
    return;
  }
  await within(redis.quit()).catch(() => redis.disconnect());
}

/** The id that a Redis server draws at each start; a changed one means that its memory is gone. */
export async function readRunId(redis: Redis): Promise<string> {
  const info = await redis.info('server');
  return /run_id:(\w+)/.exec(info)?.[1] ?? '';
}

/**
 * What is wrong with the server's configuration for documents that must never reach a disk and never be
 * evicted; an empty list where it is right or may not be read (managed Redis forbids CONFIG).
 */
export async function misconfigurations(redis: Redis): Promise<string[]> {
  const read = async (name: string): Promise<string | undefined> => {
    const reply = (await redis.config('GET', name).catch(undefinedWhereForbidden)) as string[] | undefined;
    return reply?.[1];
  };
  const [save, appendOnly, policy] = await Promise.all([
    read('save'),
    read('appendonly'),
    read('maxmemory-policy'),
  ]);
  const mistakes: string[] = [];
  if (save) mistakes.push('save must be "" (documents must not reach a disk)');
  if (appendOnly === 'yes') mistakes.push('appendonly must be no (documents must not reach a disk)');
  if (policy !== undefined && policy !== 'noeviction')
    mistakes.push('maxmemory-policy must be noeviction (jobs must not vanish)');
  return mistakes;
}

/** A server that refuses the command has answered; one that does not answer has said nothing about its fitness. */
function undefinedWhereForbidden(error: Error): undefined {
  if (error.name !== 'ReplyError') throw error;
}

/** Waits for a transaction and throws the first error of its commands, which `exec` itself leaves in its result. */
export async function completed(transaction: Promise<[Error | null, unknown][] | null>): Promise<void> {
  const results = await transaction;
  if (results === null) throw new Error('the transaction was given up');
  for (const [error] of results) if (error !== null) throw error;
}
