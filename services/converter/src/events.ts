import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import type { RemovalKind } from './conversion/vet-result.ts';
import type { Engine, EngineListener } from './engines/engine.ts';
import { sandboxOf } from './engines.ts';
import type { ConverterMetrics } from './metrics.ts';
import type { RowsEvents } from './rows/convert-rows.ts';

export interface ConverterEvents {
  ready(engines: readonly Engine[], internalAddress: string): void;
  engine: EngineListener;
  fitness(isFit: boolean, reason: string): void;
  convert: JobEvents;
  rows: RowsEvents;
  /** A result had something that the sanitizer must remove. */
  removed(what: RemovalKind): void;
}

/** The converter's log; one function per event. */
export function converterEvents(
  logger: Logger,
  metrics: Pick<ConverterMetrics, 'engineEvent' | 'resultRemoval'>,
): ConverterEvents {
  return {
    ready: (engines, internalAddress) => {
      const seen = engines.map((engine) => ({ name: engine.name, sandbox: engine.health().sandbox }));
      if (sandboxOf(engines) === 'degraded')
        logger.warn({ engines: seen }, 'the sandbox is degraded: do not convert untrusted documents');
      logger.info({ engines: seen, internalAddress }, 'ready');
    },
    engine: (event) => {
      metrics.engineEvent(event);
      const { type, ...details } = event;
      if (type === 'engine-started' || type === 'engine-worn') logger.info(details, type);
      else logger.warn(details, type);
    },
    fitness: (isFit, reason) =>
      isFit
        ? logger.info({ reason }, 'takes documents again')
        : logger.error({ reason }, 'takes no documents'),
    convert: {
      answered: (requestId, runMs) => logger.info({ requestId, runMs }, 'converted'),
      failed: (requestId, error) =>
        error.status >= 500
          ? logger.error({ requestId, errorCode: error.code, err: error }, 'conversion failed')
          : // Its message may name a part or a font of the document, which only the caller may read.
            logger.info({ requestId, errorCode: error.code }, 'document refused'),
      dropped: (requestId, reason) => logger.info({ requestId, reason }, 'job dropped'),
      queueError: (error) => logger.warn({ err: error }, 'queue error'),
    },
    removed: (what) => {
      metrics.resultRemoval(what);
      logger.error({ what }, 'a result had what the sanitizer must remove');
    },
    rows: {
      formFailed: (reason) =>
        logger.warn({ reason: reason instanceof Error ? reason.message : reason }, 'a form was not filled'),
      different: (difference) => logger.warn({ difference }, 'a filled form differs from its document'),
    },
  };
}
