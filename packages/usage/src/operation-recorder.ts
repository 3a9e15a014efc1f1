import type { Pool } from 'pg';
import { appendUsage, documentOf, type Operation, type UsageEntry } from './usage-inbox.ts';

const WAIT_MS = 200;
const RETRY_MS = 2_000;
const CLOSE_MS_MAX = 10_000;
const BATCH_MAX = 1_000;
const HELD_MAX = 100_000;

export interface OperationRecorder {
  /**
   * Counts one answered API operation for the owner of the key. Returns at once and never throws: it is written within a
   * second, with others, and again while the store is away. A request that is recorded twice counts once.
   */
  record(operation: Operation, ownerHash: Buffer, requestId: string): void;
  close(): Promise<void>;
}

export interface RecorderEvents {
  /** The store was not there; what is held is written later. */
  usageDelayed(error: unknown, held: number): void;
  /** More is held than may be, or the process ends: so many operations are not counted. */
  usageLost(count: number): void;
}

/**
 * Holds operations in memory until the store has them: those that are held when the process is killed are not counted.
 * Closing tries once more.
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
  /** Not one by one: there may be thousands a second. */
  const tellLost = (): void => {
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
        tellLost();
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
      tellLost();
    },
  };
}
