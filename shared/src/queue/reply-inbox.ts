import type { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import { newId } from '../ids.ts';
import { readRunId } from './connection.ts';
import { gatewayLease, LEASE_MS, LEASE_RENEWAL_MS, type Reply, reply, replyList } from './reply.ts';

type Success = Extract<Reply, { ok: true }>;

const BLOCK_SECONDS = 2;
/** A read that should have ended by then hangs on a dead connection. */
const READ_MS_MAX = 4_000;
/** How long callers are left waiting while the connection is lost; a reconnect within it loses nothing. */
const LOSS_MS_MAX = 1_500;

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
  let closed = false;

  const failAll = (): void => {
    for (const waiter of waiters.values()) waiter.reject(lost());
    waiters.clear();
  };

  const deliver = (text: string): void => {
    const message = readReply(text, onError);
    if (message === null) return;
    const waiter = waiters.get(message.requestId);
    waiters.delete(message.requestId);
    if (waiter === undefined) {
      if (message.ok) void removeBlobs(message.blobs).catch(onError);
    } else if (message.ok) waiter.resolve(message);
    else waiter.reject(new AppError(message.code, message.message, { details: message.details }));
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

async function readUntilClosed(
  redis: Redis,
  gatewayId: string,
  isClosed: () => boolean,
  deliver: (text: string) => void,
  onError: (error: unknown) => void,
): Promise<void> {
  const list = replyList(gatewayId);
  while (!isClosed()) {
    const hung = setTimeout(() => redis.status === 'ready' && redis.disconnect(true), READ_MS_MAX);
    try {
      const batch = await redis.blmpop(BLOCK_SECONDS, 1, list, 'LEFT', 'COUNT', 100);
      for (const text of batch?.[1] ?? []) deliver(text);
    } catch (error) {
      if (isClosed()) return;
      onError(error);
      await new Promise((resolve) => setTimeout(resolve, 100));
    } finally {
      clearTimeout(hung);
    }
  }
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
    if (keeper.status === 'ready') keeper.set(gatewayLease(gatewayId), '1', 'PX', LEASE_MS).catch(onError);
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
      keeper.unlink(gatewayLease(gatewayId), replyList(gatewayId)).catch(() => undefined);
    keeper.quit().catch(() => keeper.disconnect());
  };
}
