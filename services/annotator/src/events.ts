import type { AppError } from '@scriptorium/contracts/errors';
import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';

/** The events that the annotator logs: one function per event. */
export function annotatorEvents(logger: Logger): {
  ready(threads: number, internalAddress: string): void;
  annotate: JobEvents;
  generate: JobEvents;
  inspect: JobEvents;
  fillRows: JobEvents;
  /** The service failed to fill one row of a pack. */
  rowFailed(requestId: string, error: AppError): void;
  joinRows: JobEvents;
  join: JobEvents;
  merge: JobEvents;
} {
  const eventsOf = (job: string, done: string): JobEvents => ({
    answered: (requestId, runMs) => logger.info({ requestId, runMs }, done),
    failed: (requestId, error) =>
      error.status >= 500
        ? logger.error({ requestId, job, errorCode: error.code, err: error }, 'job failed')
        : // The message is not logged, since it may contain names of fields and parts of the document.
          logger.info({ requestId, job, errorCode: error.code }, 'request refused'),
    dropped: (requestId, reason) => logger.info({ requestId, job, reason }, 'job dropped'),
    queueError: (error) => logger.warn({ err: error }, 'queue error'),
  });
  return {
    ready: (threads, internalAddress) => logger.info({ threads, internalAddress }, 'ready'),
    annotate: eventsOf('annotate', 'annotated'),
    generate: eventsOf('generate', 'generated'),
    inspect: eventsOf('inspect', 'inspected'),
    fillRows: eventsOf('fill-rows', 'rows filled'),
    rowFailed: (requestId, error) =>
      logger.error({ requestId, job: 'fill-rows', errorCode: error.code, err: error }, 'row failed'),
    joinRows: eventsOf('join-rows', 'joined'),
    join: eventsOf('join', 'joined'),
    merge: eventsOf('merge', 'merged'),
  };
}
