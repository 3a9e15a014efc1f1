import { AppError } from '@scriptorium/contracts/errors';
import type { Redis } from 'ioredis';
import { newId } from '../ids.ts';
import { joinWrites, readRunId } from './connection.ts';
import { gatewayLease, LEASE_MS, LEASE_RENEWAL_MS, type Reply, replyList, takenReplies } from './reply.ts';
import type { GatewaySealing } from './sealing.ts';

export type Success = Extract<Reply, { ok: true }>;

const BLOCK_SECONDS = 2;
/** Maximum time of a read. After that the connection is considered dead. */
const READ_MS_MAX = 4_000;
/** How long callers wait for a lost connection. A reconnect within this time loses no answers. */
const LOSS_MS_MAX = 1_500;
const READ_RETRY_MS = 100;
/** How long delivered replies are remembered to detect duplicates. */
const DUPLICATES_MS = 30_000;
/** Time to live of the taken replies of a killed gateway. */
const TAKEN_TTL_MS = 60_000;

/** The Redis list to which workers reply, and the callers of this gateway that wait for the replies. */
export interface ReplyInbox {
  readonly gatewayId: string;
  /**
   * Call it before the job is added. `queues` are those of its steps: the last one answers, and each may fail. Rejects with the
   * AppError of the worker, or UNAVAILABLE when Redis is lost.
   */
  expect(requestId: string, queues: readonly string[]): Promise<Success>;
  forget(requestId: string): void;
  close(): Promise<void>;
}

export interface ReplyInboxParts {
  /** A separate connection that waits for Redis to come back. */
  redis: Redis;
  sealing: Pick<GatewaySealing, 'reply'>;
  /** Called with the blobs of an answer that arrived after its caller had disconnected. */
  removeBlobs(keys: string[]): Promise<void>;
  onError(error: unknown): void;
}

interface Waiter {
  queues: readonly string[];
  resolve(success: Success): void;
  reject(error: AppError): void;
}

const lost = (): AppError => new AppError('UNAVAILABLE', 'The queue was lost during the request.');

/** Starts to read at once, even while Redis is down. */
export function openReplyInbox({ redis, sealing, removeBlobs, onError }: ReplyInboxParts): ReplyInbox {
  const gatewayId = newId('gw');
  const waiters = new Map<string, Waiter>();
  /** The blobs of delivered answers by request, which the caller reads. */
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
  // A duplicate of a delivered reply names the same blobs. The reply of a job that ran twice names other blobs.
  const dropUnread = (message: Reply): void => {
    const read = delivered.get(message.requestId) ?? [];
    const unread = message.ok ? message.blobs.filter((key) => !read.includes(key)) : [];
    void removeBlobs(unread).catch(onError);
  };

  const deliver = (text: string): void => {
    const read = readReply(text, sealing, onError);
    if (read === null) return;
    const { message, queue } = read;
    const waiter = waiters.get(message.requestId);
    if (waiter !== undefined && !mayAnswer(waiter, message, queue)) {
      onError(new Error(`a worker of ${queue} answered for ${waiter.queues}`));
      return;
    }
    waiters.delete(message.requestId);
    if (waiter === undefined) dropUnread(message);
    else remember(message);
    if (message.ok) waiter?.resolve(message);
    else waiter?.reject(failureOf(message));
  };

  const stopWatching = watchConnection(redis, gatewayId, failAll, onError);
  void readUntilClosed(redis, gatewayId, () => closed, deliver, onError);

  return {
    gatewayId,
    expect(requestId, queues) {
      const { promise, resolve, reject } = Promise.withResolvers<Success>();
      promise.catch(() => undefined);
      waiters.set(requestId, { queues, resolve, reject });
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

function failureOf({ code, message, details, step, retryAfterSeconds }: Extract<Reply, { ok: false }>) {
  const seconds = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new AppError(code, message, { step, ...seconds, ...(details && { details }) });
}

/** Only sealed replies name a queue. */
function mayAnswer({ queues }: Waiter, { ok }: Reply, queue: string | undefined): boolean {
  if (queue === undefined) return true;
  return ok ? queues.at(-1) === queue : queues.includes(queue);
}

/** Returns null for a reply that cannot be opened or parsed, so that the others of the batch are still delivered. */
function readReply(
  text: string,
  sealing: ReplyInboxParts['sealing'],
  onError: (error: unknown) => void,
): ReturnType<GatewaySealing['reply']> | null {
  try {
    return sealing.reply(text);
  } catch (error) {
    onError(error);
    return null;
  }
}

/**
 * Moves each reply to a second list, delivers it, and then removes it from that list. After a broken connection, the second
 * list is read again, so that no reply is lost.
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
  // Without a listener ioredis prints errors. Those of the reads are reported.
  redis.on('error', () => undefined);
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
      joinWrites(redis);
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

/** Reconnects when a read takes too long, since the connection is dead. */
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
 * Renews the lease of the gateway, by which workers know that it still waits. Calls `failAll` when answers are lost: Redis
 * restarted without its data, or stays down.
 */
function watchConnection(
  redis: Redis,
  gatewayId: string,
  failAll: () => void,
  onError: (error: unknown) => void,
): () => void {
  let runId: string | undefined;
  let lossTimer: NodeJS.Timeout | undefined;
  // A second connection, since the first one is blocked in its read most of the time.
  const keeper = redis.duplicate({
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    commandTimeout: 1_500,
  });
  keeper.on('error', () => undefined);
  const renew = (): void => {
    if (keeper.status !== 'ready') return;
    joinWrites(keeper);
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
  const onLoss = (): void => {
    lossTimer ??= setTimeout(failAll, LOSS_MS_MAX);
  };
  keeper.on('close', onLoss);
  const renewal = setInterval(renew, LEASE_RENEWAL_MS);
  return () => {
    clearInterval(renewal);
    clearTimeout(lossTimer);
    keeper.off('close', onLoss);
    if (keeper.status === 'ready')
      keeper
        .unlink(gatewayLease(gatewayId), replyList(gatewayId), takenReplies(gatewayId))
        .catch(() => undefined);
    keeper.quit().catch(() => keeper.disconnect());
  };
}
