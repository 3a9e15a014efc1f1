import { createHash } from 'node:crypto';
import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import type { SignerMetrics } from './metrics.ts';

/** Everything the signer has to tell its operator; one function an event. */
export function signerEvents(
  logger: Logger,
  metrics: SignerMetrics,
): {
  logger: Logger;
  ready(threads: number, key: { algorithm: string; fingerprint: string }, internalAddress: string): void;
  profileTrouble(warning: string): void;
  developmentKey(folder: string): void;
  /** `other` is what stood in Redis. */
  certificateDisputed(other: string): void;
  sign: JobEvents;
  signingKey: JobEvents;
} {
  const eventsOf = (job: string, done: string): JobEvents => ({
    answered: (requestId, runMs) => logger.info({ requestId, runMs }, done),
    failed: (requestId, error) =>
      error.status >= 500
        ? logger.error({ requestId, job, errorCode: error.code, err: error }, 'job failed')
        : // Its message may name what is in the document or its certificates: those are the caller's to read.
          logger.info({ requestId, job, errorCode: error.code }, 'request refused'),
    dropped: (requestId, reason) => logger.info({ requestId, job, reason }, 'job dropped'),
    queueError: (error) => logger.warn({ err: error }, 'queue error'),
  });
  return {
    logger,
    profileTrouble: (warning) => logger.warn({ warning }, 'a signing profile cannot sign'),
    ready: (threads, { algorithm, fingerprint }, internalAddress) =>
      logger.info({ threads, algorithm, fingerprint, internalAddress }, 'ready'),
    developmentKey: (folder) =>
      logger.warn({ folder }, 'signing with a development key: nobody should rely on these signatures'),
    certificateDisputed(other) {
      metrics.certificateDisputed();
      const published = createHash('sha256').update(other).digest('hex');
      logger.warn({ published }, 'another certificate was published as that of the service');
    },
    sign: eventsOf('sign', 'signed'),
    signingKey: eventsOf('signing-key', 'key told'),
  };
}
