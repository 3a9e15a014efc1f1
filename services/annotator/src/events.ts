import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';

/** Everything the annotator has to tell its operator; one function an event. */
export function annotatorEvents(logger: Logger): {
  ready(threads: number, internalAddress: string): void;
  annotate: JobEvents;
  inspect: JobEvents;
} {
  const eventsOf = (job: string, done: string): JobEvents => ({
    answered: (requestId, runMs) => logger.info({ requestId, runMs }, done),
    failed: (requestId, error) =>
      error.status >= 500
        ? logger.error({ requestId, job, errorCode: error.code, err: error }, 'job failed')
        : // Its message may name fields and parts: those are the document's, and the caller's to read.
          logger.info({ requestId, job, errorCode: error.code }, 'request refused'),
    dropped: (requestId, reason) => logger.info({ requestId, job, reason }, 'job dropped'),
    queueError: (error) => logger.warn({ err: error }, 'queue trouble'),
  });
  return {
    ready: (threads, internalAddress) => logger.info({ threads, internalAddress }, 'ready'),
    annotate: eventsOf('annotate', 'annotated'),
    inspect: eventsOf('inspect', 'inspected'),
  };
}
