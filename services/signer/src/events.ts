import { createHash } from 'node:crypto';
import type { AppError } from '@scriptorium/contracts/errors';
import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import type { SignerMetrics } from './metrics.ts';

/** The signer's log; one function per event. */
export function signerEvents(
  logger: Logger,
  metrics: SignerMetrics,
): {
  logger: Logger;
  ready(threads: number, key: { algorithm: string; fingerprint: string }, internalAddress: string): void;
  profileTrouble(warning: string): void;
  developmentKey(folder: string): void;
  /** `other` is the certificate found in Redis. */
  certificateDisputed(other: string): void;
  sign: JobEvents;
  signRows: JobEvents;
  augment: JobEvents;
  /** The service failed to sign one row of a pack. */
  rowFailed(requestId: string, error: AppError): void;
  signingKey: JobEvents;
} {
  const eventsOf = (job: string, done: string): JobEvents => ({
    answered: (requestId, runMs) => logger.info({ requestId, runMs }, done),
    failed: (requestId, error) =>
      error.status >= 500
        ? logger.error({ requestId, job, errorCode: error.code, err: error }, 'job failed')
        : // Its message may quote the document or its certificates, which only the caller may read.
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
      logger.warn({ folder }, 'signing with a development key: do not rely on these signatures'),
    certificateDisputed(other) {
      metrics.certificateDisputed();
      const published = createHash('sha256').update(other).digest('hex');
      logger.warn({ published }, 'another certificate was published as the service certificate');
    },
    sign: eventsOf('sign', 'signed'),
    signRows: eventsOf('sign-rows', 'rows signed'),
    augment: eventsOf('augment', 'augmented'),
    rowFailed: (requestId, error) =>
      logger.error({ requestId, job: 'sign-rows', errorCode: error.code, err: error }, 'row failed'),
    signingKey: eventsOf('signing-key', 'key returned'),
  };
}
