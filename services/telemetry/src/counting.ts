import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@scriptorium/database/pool';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { INBOX_ROWS_MAX, setAside, storeUsage, UncountableError } from '@scriptorium/usage/store';
import type { TelemetryEvents } from './events.ts';

const RETRY_MS = 1_000;

type CountingEvents = Pick<TelemetryEvents, 'counted' | 'notCounted' | 'setAside'>;

/**
 * Counts accepted opens and operations in a loop. If there are several consumers, one counts at a time. After a failure it takes
 * fewer rows, down to one: a large batch may take too long, or one row may be impossible to count.
 */
export function startCounting(
  database: Database,
  intervalMs: number,
  events: CountingEvents,
  isReady: () => boolean,
): Closeable {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    let rowsMax = INBOX_ROWS_MAX;
    while (!stopping.signal.aborted) {
      let pauseMs = intervalMs;
      if (isReady()) ({ pauseMs, rowsMax } = await countOnce(database, { pauseMs, rowsMax }, events));
      if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = loop();
  return {
    async close() {
      stopping.abort();
      await done;
    },
  };
}

interface Pace {
  /** Pause before the next batch. */
  pauseMs: number;
  rowsMax: number;
}

/** Counts one batch. `pauseMs` is the pause after the last batch. */
async function countOnce(
  database: Database,
  { pauseMs, rowsMax }: Pace,
  events: CountingEvents,
): Promise<Pace> {
  const startedAt = Date.now();
  try {
    const stored = await storeUsage(database, { rowsMax });
    if (stored !== null && stored.occurrences > 0) events.counted(stored.occurrences, Date.now() - startedAt);
    return { pauseMs: stored?.isMore ? 0 : pauseMs, rowsMax: Math.min(rowsMax * 2, INBOX_ROWS_MAX) };
  } catch (error) {
    events.notCounted(error);
    if (error instanceof UncountableError) await putAside(database, error, events);
    return { pauseMs: RETRY_MS, rowsMax: Math.max(1, Math.floor(rowsMax / 8)) };
  }
}

async function putAside(database: Database, error: UncountableError, events: CountingEvents): Promise<void> {
  try {
    await setAside(database, error);
    events.setAside(error.id);
  } catch (failure) {
    events.notCounted(failure);
  }
}
