import type { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { readRunId } from './connection.ts';
import {
  gatewayLease,
  LEASE_MS,
  LEASE_RENEWAL_MS,
  type Reply,
  reply,
  replyList,
  takenReplies,
} from './reply.ts';

export type Success = Extract<Reply, { ok: true }>;

const BLOCK_SECONDS = 2;
/** A read that should have ended by then hangs on a dead connection. */
const READ_MS_MAX = 4_000;
/** How long callers are left waiting while the connection is lost; a reconnect within it loses nothing. */
const LOSS_MS_MAX = 1_500;
const READ_RETRY_MS = 100;
/** How long a second copy of a reply is known for one. */
const DUPLICATES_MS = 30_000;
/** What a gateway that was killed leaves of its taken replies. */
const TAKEN_TTL_MS = 60_000;

/** The list in Redis on which workers answer this gateway, and the callers that wait for those answers. */
export interface ReplyInbox {
  readonly gatewayId: string;
  /** Call before the job is added. Rejects with the worker's AppError, or UNAVAILABLE when Redis is lost. */
  expect(requestId: string): Promise<Success>;
  forget(requestId: string): void;
  close(): Promise<void>;
}

export interface ReplyInboxParts {
  /** A connection of its own, that waits for Redis to come back. */
  redis: Redis;
  /** Called with the blobs of an answer that came after its caller had left. */
  removeBlobs(keys: string[]): Promise<void>;
  onError(error: unknown): void;
}

interface Waiter {
  resolve(success: Success): void;
  reject(error: AppError): void;
}

const lost = (): AppError => new AppError('UNAVAILABLE', 'The queue was lost while the request was in work.');

/** Starts reading at once; Redis may still be away. */
export function openReplyInbox({ redis, removeBlobs, onError }: ReplyInboxParts): ReplyInbox {
  const gatewayId = newId('gw');
  const waiters = new Map<string, Waiter>();
  /** The blobs that came with an answer, by its request: its caller is reading them. */
  const delivered = new Map<string, string[]>();
  let closed = false;

  const failAll = (): void => {
    for (const waiter of waiters.values()) waiter.reject(lost());
    waiters.clear();
  };

  const remember = (message: Reply): void => {
    delivered.set(message.requestId, message.ok ? message.blobs : []);
    setTimeout(() => delivered.delete(message.requestId), DUPLICATES_MS).unref();
  };
  // A second copy of a delivered reply names the same blobs, the reply of a job that ran twice others.
  const dropUnread = (message: Reply): void => {
    const read = delivered.get(message.requestId) ?? [];
    const unread = message.ok ? message.blobs.filter((key) => !read.includes(key)) : [];
    void removeBlobs(unread).catch(onError);
  };

  const deliver = (text: string): void => {
    const message = readReply(text, onError);
    if (message === null) return;
    const waiter = waiters.get(message.requestId);
    waiters.delete(message.requestId);
    if (waiter === undefined) dropUnread(message);
    else remember(message);
    if (message.ok) waiter?.resolve(message);
    else waiter?.reject(new AppError(message.code, message.message, { details: message.details }));
  };

  const stopWatching = watchConnection(redis, gatewayId, failAll, onError);
  void readUntilClosed(redis, gatewayId, () => closed, deliver, onError);

  return {
    gatewayId,
    expect(requestId) {
      const { promise, resolve, reject } = Promise.withResolvers<Success>();
      promise.catch(() => undefined);
      waiters.set(requestId, { resolve, reject });
      return promise;
    },
    forget(requestId) {
      waiters.delete(requestId);
    },
    async close() {
      closed = true;
      stopWatching();
      redis.disconnect();
    },
  };
}

/** Null for a reply that this version does not understand: it must not take the others of its batch with it. */
function readReply(text: string, onError: (error: unknown) => void): Reply | null {
  try {
    return reply.parse(JSON.parse(text));
  } catch (error) {
    onError(error);
    return null;
  }
}

/**
 * Moves each reply to a second list, hands it over, and then removes it there: a connection that breaks in between has
 * swallowed nothing, for the second list is read again.
 */
async function readUntilClosed(
  redis: Redis,
  gatewayId: string,
  isClosed: () => boolean,
  deliver: (text: string) => void,
  onError: (error: unknown) => void,
): Promise<void> {
  const list = replyList(gatewayId);
  const taken = takenReplies(gatewayId);
  let mayHoldMore = false;
  redis.on('close', () => {
    mayHoldMore = true;
  });
  const watchdog = restartHungReads(redis);
  while (!isClosed()) {
    watchdog.feed();
    try {
      if (mayHoldMore) {
        mayHoldMore = false;
        for (const text of await redis.lrange(taken, 0, -1)) deliver(text);
        await redis.unlink(taken);
      }
      const text = await redis.blmove(list, taken, 'LEFT', 'RIGHT', BLOCK_SECONDS);
      if (text === null) continue;
      deliver(text);
      redis.lrem(taken, 1, text).catch(onError);
    } catch (error) {
      if (isClosed()) break;
      onError(error);
      mayHoldMore = true;
      await new Promise((resolve) => setTimeout(resolve, READ_RETRY_MS));
    }
  }
  watchdog.stop();
}

/** A read that has not come back in time hangs on a dead connection. */
function restartHungReads(redis: Redis): { feed(): void; stop(): void } {
  let fedAt = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - fedAt < READ_MS_MAX || redis.status !== 'ready') return;
    fedAt = Date.now();
    redis.disconnect(true);
  }, READ_MS_MAX / 4);
  return {
    feed() {
      fedAt = Date.now();
    },
    stop: () => clearInterval(timer),
  };
}

/**
 * Keeps the gateway's lease, by which workers know that somebody still waits, and tells when answers are lost for
 * good: Redis came back with an empty memory, or stays away.
 */
function watchConnection(
  redis: Redis,
  gatewayId: string,
  failAll: () => void,
  onError: (error: unknown) => void,
): () => void {
  let runId: string | undefined;
  let lossTimer: NodeJS.Timeout | undefined;
  // A connection of its own: the other one is blocked in its read most of the time.
  const keeper = redis.duplicate({
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 1_500,
  });
  keeper.on('error', () => undefined);
  const renew = (): void => {
    if (keeper.status !== 'ready') return;
    keeper.set(gatewayLease(gatewayId), '1', 'PX', LEASE_MS).catch(onError);
    keeper.pexpire(takenReplies(gatewayId), TAKEN_TTL_MS).catch(onError);
  };
  keeper.on('ready', () => {
    clearTimeout(lossTimer);
    lossTimer = undefined;
    renew();
    readRunId(keeper).then((id) => {
      if (runId !== undefined && runId !== id) failAll();
      runId = id;
    }, onError);
  });
  keeper.on('close', () => {
    lossTimer ??= setTimeout(failAll, LOSS_MS_MAX);
  });
  const renewal = setInterval(renew, LEASE_RENEWAL_MS);
  return () => {
    clearInterval(renewal);
    clearTimeout(lossTimer);
    if (keeper.status === 'ready')
      keeper
        .unlink(gatewayLease(gatewayId), replyList(gatewayId), takenReplies(gatewayId))
        .catch(() => undefined);
    keeper.quit().catch(() => keeper.disconnect());
  };
}
