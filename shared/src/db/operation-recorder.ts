import type { Closeable } from '../lifecycle.ts';
import type { Database } from './pool.ts';
import { appendUsage, documentOf, type Operation, type UsageEntry } from './usage-inbox.ts';

const WAIT_MS = 200;
const RETRY_MS = 2_000;
const BATCH_MAX = 1_000;
const HELD_MAX = 100_000;

export interface OperationRecorder extends Closeable {
  /**
   * Counts one answered API operation for the owner of the key. Returns at once and never throws: it is written within a
   * second, with others, and again while the store is away. A request that is recorded twice counts once.
   */
  record(operation: Operation, ownerHash: Buffer, requestId: string): void;
}

export interface RecorderEvents {
  /** The store was not there; what is held is written later. */
  usageDelayed(error: unknown, held: number): void;
  /** More is held than may be, or the process ends: so many operations are not counted. */
  usageLost(count: number): void;
}

/** Holds operations in memory until the store has them: those that are held when the process is killed are not counted. */
export function operationRecorder(database: Database, events: RecorderEvents): OperationRecorder {
  let held: UsageEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (held.length > 0) {
      const batch = held.slice(0, BATCH_MAX);
      await appendUsage(database, batch);
      held = held.slice(batch.length);
    }
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
        if (held.length > 0) schedule(WAIT_MS);
      });
    return writing;
  };
  const schedule = (ms: number): void => {
    timer ??= setTimeout(() => void flush(), ms).unref();
  };
  return {
    record(operation, ownerHash, requestId) {
      if (held.length >= HELD_MAX) return events.usageLost(1);
      held.push({
        owner: ownerHash.toString('hex'),
        operation,
        request: [Date.now(), documentOf(requestId)],
      });
      if (writing === undefined) schedule(WAIT_MS);
    },
    async close() {
      clearTimeout(timer);
      timer = undefined;
      await writing;
      clearTimeout(timer);
      timer = undefined;
      await flush();
      clearTimeout(timer);
      if (held.length > 0) events.usageLost(held.length);
    },
  };
}
