import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/worker';

/** Everything the converter has to tell its operator; one function an event. */
export function converterEvents(logger: Logger): JobEvents & {
  ready(engines: string[]): void;
  engineTrouble(engine: string, error: unknown): void;
} {
  return {
    ready: (engines) => logger.info({ engines }, 'ready'),
    engineTrouble: (engine, error) => logger.warn({ engine, err: error }, 'engine trouble'),
    answered: (requestId, runMs) => logger.info({ requestId, runMs }, 'converted'),
    failed: (requestId, error) =>
      error.status >= 500
        ? logger.error({ requestId, code: error.code, err: error }, 'conversion failed')
        : logger.info({ requestId, code: error.code, err: error }, 'document refused'),
    dropped: (requestId, reason) => logger.info({ requestId, reason }, 'job dropped'),
    queueError: (error) => logger.warn({ err: error }, 'queue trouble'),
  };
}
