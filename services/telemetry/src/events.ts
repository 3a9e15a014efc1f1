import type { Logger } from '@scriptorium/shared/logger';
import type { TelemetryMetrics } from './metrics.ts';

/** Everything the service has to tell its operator; one function an event. No address of a caller, no license key. */
export function telemetryEvents(logger: Logger, metrics: TelemetryMetrics) {
  return {
    logger,
    ready: (address: string, role: string, internalAddress: string) =>
      logger.info({ address, role, internalAddress }, 'ready'),
    answered: (status: number) => metrics.answered(status),
    accepted: (opens: number) => metrics.accepted(opens),
    failed: (error: unknown, requestId: string) => logger.error({ requestId, err: error }, 'failed'),
    /** What it held was answered with 503. */
    notWritten: (error: unknown, payloads: number) => {
      metrics.notWritten();
      logger.warn({ payloads, err: error }, 'document opens were not written');
    },
    counted: (occurrences: number, ms: number) => {
      metrics.counted(occurrences);
      logger.debug({ occurrences, ms }, 'counted');
    },
    notCounted: (error: unknown) => logger.error({ err: error }, 'counting failed; it is tried again'),
    /** Counting goes on without it. */
    setAside: (id: string) => {
      metrics.setAside();
      logger.error({ id }, 'opens that cannot be counted were put into usage_inbox_aside');
    },
    migrationFailed: (error: unknown) => logger.warn({ err: error }, 'the database is not ready yet'),
  };
}

export type TelemetryEvents = ReturnType<typeof telemetryEvents>;
