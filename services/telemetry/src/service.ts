import { migrateUntilDone } from '@scriptorium/database/migrations';
import { type Database, openDatabase } from '@scriptorium/database/pool';
import { startInternalServer } from '@scriptorium/shared/http/internal-server';
import { listen } from '@scriptorium/shared/http/server';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { watchDependencies } from '@scriptorium/shared/metrics/dependency-metrics';
import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import { inboxAgeSeconds } from '@scriptorium/usage/inbox';
import { createApp } from './app.ts';
import { collect } from './collect.ts';
import type { TelemetryConfig } from './config.ts';
import { startCounting } from './counting.ts';
import type { TelemetryEvents } from './events.ts';
import { checkHealth } from './health.ts';
import { openInbox } from './inbox.ts';
import { licenseBound } from './license-bound.ts';
import { watchInbox } from './metrics.ts';

const REQUEST_MS_MAX = 10_000;
/** Time to write received opens and to send the answers. */
const WRITE_MS_MAX = 10_000;

export interface TelemetryService extends Closeable {
  /** The service listens on this `host:port`. */
  address: string;
  internalAddress: string;
}

/** Returns the maximum time from the start of a request to the end of its answer. */
export function answerMsMax({ DATABASE_WAIT_MS_MAX }: TelemetryConfig): number {
  return REQUEST_MS_MAX + DATABASE_WAIT_MS_MAX + WRITE_MS_MAX;
}

/** Starts a collector, a consumer or both. Resolves when it listens, without waiting for other servers. */
export async function startTelemetry(
  config: TelemetryConfig,
  version: string,
  metrics: Metrics,
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
        : collect(inbox, licenseBound(config.LICENSE_EVENTS_PER_MINUTE_MAX), events),
    health: shared(() => checkHealth(database, migration.isDone)),
    isClosing: () => isClosing,
    version,
    events,
  });
  const checks = { database: () => canServe(database, migration.isDone) };
  watchInbox(metrics, { heldBytes: inbox.heldBytes, ageSeconds: () => inboxAgeSeconds(database) });
  watchDependencies(metrics, checks);
  const server = await listen(app, config.HOST, config.PORT, REQUEST_MS_MAX);
  const internal = await startInternalServer(config, metrics, checks);
  return {
    address: server.address,
    internalAddress: internal.address,
    async close() {
      isClosing = true;
      await internal.readiness.close();
      await server.close(config.DRAIN_MS, answerMsMax(config));
      migration.stop();
      await inbox.close();
      await counting?.close();
      await database.end();
      await internal.close();
    },
  };
}

async function canServe(database: Database, isMigrated: () => boolean): Promise<void> {
  const report = await checkHealth(database, isMigrated);
  if (!report.canServe) throw new Error('the database is down or not ready');
}

/** Concurrent calls share one result: the health route is public, and opens need the database connections. */
function shared<Result>(check: () => Promise<Result>): () => Promise<Result> {
  let answer: Promise<Result> | undefined;
  return () => {
    answer ??= check().finally(() => {
      answer = undefined;
    });
    return answer;
  };
}
