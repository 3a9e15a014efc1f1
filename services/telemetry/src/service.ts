import { migrateUntilDone } from '@scriptorium/shared/db/migrations';
import { openDatabase } from '@scriptorium/shared/db/pool';
import { listen } from '@scriptorium/shared/http/server';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { createApp } from './app.ts';
import { collect } from './collect.ts';
import type { TelemetryConfig } from './config.ts';
import { startCounting } from './counting.ts';
import type { TelemetryEvents } from './events.ts';
import { checkHealth } from './health.ts';
import { openInbox } from './inbox.ts';
import { licenseBound } from './license-bound.ts';

const REQUEST_MS_MAX = 10_000;

export interface TelemetryService extends Closeable {
  /** `host:port` that it listens on. */
  address: string;
}

/** Starts a collector, a consumer, or both in one; resolves when it listens, which waits for no other server. */
export async function startTelemetry(
  config: TelemetryConfig,
  version: string,
  events: TelemetryEvents,
): Promise<TelemetryService> {
  const database = openDatabase(config.DATABASE_URL);
  const migration = migrateUntilDone(database, events.migrationFailed);
  const inbox = openInbox(database, {
    bytesMax: config.TELEMETRY_BYTES_IN_FLIGHT_MAX,
    waitMsMax: config.DATABASE_WAIT_MS_MAX,
    onFailure: events.notWritten,
  });
  const counting =
    config.TELEMETRY_ROLE === 'collector'
      ? undefined
      : startCounting(database, config.COUNT_INTERVAL_MS, events, migration.isDone);
  let isClosing = false;
  const app = createApp({
    collect:
      config.TELEMETRY_ROLE === 'consumer'
        ? undefined
        : collect(inbox, licenseBound(config.LICENSE_EVENTS_PER_MINUTE_MAX)),
    health: atOnce(() => checkHealth(database, migration.isDone)),
    isClosing: () => isClosing,
    version,
    events,
  });
  const server = await listen(app, config.HOST, config.PORT, REQUEST_MS_MAX);
  return {
    address: server.address,
    async close() {
      isClosing = true;
      migration.stop();
      await server.close(config.DRAIN_MS);
      await inbox.close();
      await counting?.close();
      await database.end();
    },
  };
}

/** Who asks while an answer is on its way gets that one: anybody may ask, and opens need the connections. */
function atOnce<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let answer: Promise<Result> | undefined;
  return () => {
    answer ??= ask().finally(() => {
      answer = undefined;
    });
    return answer;
  };
}
