import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@scriptorium/contracts/errors';
import type { Connection, Database } from '@scriptorium/database/pool';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { appendUsage, type UsageEntry } from '@scriptorium/usage/inbox';

const BATCH_BYTES_MAX = 1024 * 1024;
/** Delay before a write to collect more opens: callers do not depend on a fast 202, and each commit waits for the disk. */
const GATHER_MS = 5;
const RECONNECT_MS = 100;

export interface InboxSettings {
  bytesMax: number;
  waitMsMax: number;
  onFailure(error: unknown, payloads: number): void;
}

/** Writes opens to the database. */
export interface Inbox extends Closeable {
  /**
   * Resolves once the opens are committed. Throws UNAVAILABLE if the database is down for too long, and OVERLOADED if too many
   * bytes wait for it. `bytes` is the size of the entry in memory.
   */
  append(entry: UsageEntry, bytes: number): Promise<void>;
  /** Returns the bytes that wait for the database. */
  heldBytes(): number;
}

interface Held {
  entry: UsageEntry;
  bytes: number;
  /** Epoch milliseconds. */
  until: number;
  resolve(): void;
  reject(error: AppError): void;
}

/** Commits opens in groups: a commit waits for the disk, which takes as long for one open as for a thousand. */
export function openInbox(database: Database, { bytesMax, waitMsMax, onFailure }: InboxSettings): Inbox {
  let held: Held[] = [];
  let bytesHeld = 0;
  let writing: Promise<void> | undefined;

  const take = (): Held[] => {
    let count = 0;
    for (let bytes = 0; count < held.length && bytes < BATCH_BYTES_MAX; count++)
      bytes += held[count]?.bytes ?? 0;
    return held.splice(0, count);
  };
  const fail = (batch: readonly Held[], cause: unknown): void => {
    if (batch.length > 0) onFailure(cause, batch.length);
    for (const { reject } of batch)
      reject(new AppError('UNAVAILABLE', 'The usage store cannot be reached.', { cause }));
  };
  /** Retries to connect until the first entries time out. Only connecting is retried, since a failed write may have succeeded. */
  const connect = async (): Promise<Connection | null> => {
    while (held.length > 0) {
      try {
        return await database.connect();
      } catch (error) {
        const now = Date.now();
        const isLate = ({ until }: Held): boolean => until <= now;
        const late = held.filter(isLate);
        held = held.filter((entry) => !isLate(entry));
        fail(late, error);
        if (held.length > 0) await sleep(RECONNECT_MS);
      }
    }
    return null;
  };
  const write = async (): Promise<void> => {
    await sleep(GATHER_MS);
    const client = await connect();
    if (client === null) return;
    const batch = take();
    try {
      if (batch.length > 0)
        await appendUsage(
          client,
          batch.map(({ entry }) => entry),
        );
      client.release();
      for (const { resolve } of batch) resolve();
    } catch (error) {
      client.release(true);
      fail(batch, error);
    }
  };
  /** Runs one write at a time. The next write takes all opens that arrive meanwhile. */
  const start = (): void => {
    if (held.length === 0) return;
    writing ??= write().finally(() => {
      writing = undefined;
      start();
    });
  };
  return {
    heldBytes: () => bytesHeld,
    async append(entry, bytes) {
      if (bytesHeld + bytes > bytesMax)
        throw new AppError('OVERLOADED', 'Too many document opens wait for the usage store.', {
          retryAfterSeconds: 5,
        });
      bytesHeld += bytes;
      try {
        await new Promise<void>((resolve, reject) => {
          held.push({ entry, bytes, until: Date.now() + waitMsMax, resolve, reject });
          start();
        });
      } finally {
        bytesHeld -= bytes;
      }
    },
    async close() {
      while (writing !== undefined) await writing;
    },
  };
}
