import type { Logger } from '@scriptorium/shared/logger';
import type { TelemetryMetrics } from './metrics.ts';

/** The events that the service logs and counts: one function per event. They must not contain addresses or license keys. */
export function telemetryEvents(logger: Logger, metrics: TelemetryMetrics) {
  return {
    logger,
    ready: (address: string, role: string, internalAddress: string) =>
      logger.info({ address, role, internalAddress }, 'ready'),
    answered: (status: number) => metrics.answered(status),
    accepted: (opens: number) => metrics.accepted(opens),
    failed: (error: unknown, requestId: string) => logger.error({ requestId, err: error }, 'failed'),
    /** The requests of these opens get 503. */
    notWritten: (error: unknown, payloads: number) => {
      metrics.notWritten();
      logger.warn({ payloads, err: error }, 'document opens were not written');
    },
    counted: (occurrences: number, ms: number) => {
      metrics.counted(occurrences);
      logger.debug({ occurrences, ms }, 'counted');
    },
    notCounted: (error: unknown) => logger.error({ err: error }, 'counting failed; retrying'),
    /** Counting continues without this row. */
    setAside: (id: string) => {
      metrics.setAside();
      logger.error({ id }, 'a row that cannot be counted was moved to usage_inbox_aside');
    },
    migrationFailed: (error: unknown) => logger.warn({ err: error }, 'the database is not ready yet'),
  };
}

export type TelemetryEvents = ReturnType<typeof telemetryEvents>;
