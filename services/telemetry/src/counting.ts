import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@scriptorium/shared/db/pool';
import { storeUsage } from '@scriptorium/shared/db/usage-store';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import type { TelemetryEvents } from './events.ts';

const RETRY_MS = 1_000;

/** Counts what is accepted, again and again. Of several processes one counts at a time, and the others stand by. */
export function startCounting(
  database: Database,
  intervalMs: number,
  events: Pick<TelemetryEvents, 'counted' | 'notCounted'>,
  isReady: () => boolean,
): Closeable {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const pauseMs = isReady() ? await countOnce(database, intervalMs, events) : intervalMs;
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

/** Returns how long to wait before the next time, in ms. */
async function countOnce(
  database: Database,
  intervalMs: number,
  events: Pick<TelemetryEvents, 'counted' | 'notCounted'>,
): Promise<number> {
  const startedAt = Date.now();
  try {
    const stored = await storeUsage(database);
    if (stored !== null && stored.occurrences > 0) events.counted(stored.occurrences, Date.now() - startedAt);
    return stored?.isMore ? 0 : intervalMs;
  } catch (error) {
    events.notCounted(error);
    return RETRY_MS;
  }
}
