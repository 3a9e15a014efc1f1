import type { Pool } from 'pg';
import { appendUsage, documentOf, type Operation, type UsageEntry } from './usage-inbox.ts';

const WAIT_MS = 200;
const RETRY_MS = 2_000;
const CLOSE_MS_MAX = 10_000;
const BATCH_MAX = 1_000;
const HELD_MAX = 100_000;

export interface OperationRecorder {
  /**
   * Counts one answered API operation for the owner of the key. Returns immediately and never throws. Operations are
   * written in batches within a second, with retries while the store is unavailable. A request that is recorded twice
   * counts once.
   */
  record(operation: Operation, ownerHash: Buffer, requestId: string): void;
  /** Writes at once what was recorded, and resolves once it is written, or is to be tried again. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface RecorderEvents {
  /** The store was unavailable. The `held` operations are written later. */
  usageDelayed(error: unknown, held: number): void;
  /** `count` operations are not counted, because the buffer was full or the process ends. */
  usageLost(count: number): void;
}

/**
 * Buffers operations in memory until they are stored. If the process is killed, buffered operations are lost. Closing
 * tries to store them once more.
 */
export function operationRecorder(
  database: Pool,
  events: RecorderEvents,
  heldMax = HELD_MAX,
): OperationRecorder {
  let held: UsageEntry[] = [];
  let lost = 0;
  let until = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (held.length > 0 && Date.now() < until) {
      const batch = held.slice(0, BATCH_MAX);
      await appendUsage(database, batch);
      held = held.slice(batch.length);
    }
  };
  /** Reports the total, because thousands may be lost per second. */
  const reportLost = (): void => {
    if (lost > 0) events.usageLost(lost);
    lost = 0;
  };
  const flush = (): Promise<void> => {
    timer = undefined;
    writing ??= write()
      .catch((error) => {
        events.usageDelayed(error, held.length);
        schedule(RETRY_MS);
      })
      .finally(() => {
        writing = undefined;
        reportLost();
        if (held.length > 0) schedule(WAIT_MS);
      });
    return writing;
  };
  const schedule = (ms: number): void => {
    timer ??= setTimeout(() => void flush(), ms).unref();
  };
  const unschedule = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    flush() {
      unschedule();
      return flush();
    },
    record(operation, ownerHash, requestId) {
      if (held.length >= heldMax) {
        lost += 1;
        return;
      }
      held.push({
        owner: ownerHash.toString('hex'),
        operation,
        request: [Date.now(), documentOf(requestId)],
      });
      if (writing === undefined) schedule(WAIT_MS);
    },
    async close() {
      until = Date.now() + CLOSE_MS_MAX;
      unschedule();
      await writing;
      unschedule();
      await flush();
      unschedule();
      lost += held.length;
      reportLost();
    },
  };
}
