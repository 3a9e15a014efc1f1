import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/worker';
import type { EngineListener } from './engine.ts';

/** Everything the converter has to tell its operator; one function an event. */
export function converterEvents(logger: Logger): JobEvents & {
  ready(engines: string[]): void;
  engine: EngineListener;
} {
  return {
    ready: (engines) => logger.info({ engines }, 'ready'),
    engine: ({ type, ...event }) =>
      type === 'engine-started' ? logger.info(event, type) : logger.warn(event, type),
    answered: (requestId, runMs) => logger.info({ requestId, runMs }, 'converted'),
    failed: (requestId, error) =>
      error.status >= 500
        ? logger.error({ requestId, errorCode: error.code, err: error }, 'conversion failed')
        : logger.info({ requestId, errorCode: error.code, err: error }, 'document refused'),
    dropped: (requestId, reason) => logger.info({ requestId, reason }, 'job dropped'),
    queueError: (error) => logger.warn({ err: error }, 'queue trouble'),
  };
}
