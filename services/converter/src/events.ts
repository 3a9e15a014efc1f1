import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import type { Engine, EngineListener } from './engine.ts';
import { sandboxOf } from './engines.ts';
import type { ConverterMetrics } from './metrics.ts';

/** Everything the converter has to tell its operator; one function an event. */
export function converterEvents(
  logger: Logger,
  metrics: Pick<ConverterMetrics, 'engineEvent'>,
): {
  ready(engines: readonly Engine[], internalAddress: string): void;
  engine: EngineListener;
  convert: JobEvents;
} {
  return {
    ready: (engines, internalAddress) => {
      const seen = engines.map((engine) => ({ name: engine.name, sandbox: engine.health().sandbox }));
      if (sandboxOf(engines) === 'degraded')
        logger.warn({ engines: seen }, 'the sandbox is degraded: convert no documents of strangers');
      logger.info({ engines: seen, internalAddress }, 'ready');
    },
    engine: (told) => {
      metrics.engineEvent(told);
      const { type, ...event } = told;
      if (type === 'engine-started') logger.info(event, type);
      else logger.warn(event, type);
    },
    convert: {
      answered: (requestId, runMs) => logger.info({ requestId, runMs }, 'converted'),
      failed: (requestId, error) =>
        error.status >= 500
          ? logger.error({ requestId, errorCode: error.code, err: error }, 'conversion failed')
          : // Its message may name a part or a font: that is the document's, and the caller's to read.
            logger.info({ requestId, errorCode: error.code }, 'document refused'),
      dropped: (requestId, reason) => logger.info({ requestId, reason }, 'job dropped'),
      queueError: (error) => logger.warn({ err: error }, 'queue error'),
    },
  };
}
