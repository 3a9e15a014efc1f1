import type { Logger } from '@scriptorium/shared/logger';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import type { CertificateEvents } from './service-certificate.ts';
import type { TrustedListEvents } from './trusted-lists.ts';

/** The verifier's log; one function per event. */
export function verifierEvents(logger: Logger): {
  ready(threads: number, internalAddress: string): void;
  secondReader(isThere: boolean, why: string): void;
  secondReaderEnded(): void;
  certificate: CertificateEvents;
  trustedLists: TrustedListEvents;
  verify: JobEvents;
} {
  const queueError = (error: unknown): void => logger.warn({ err: error }, 'queue error');
  return {
    ready: (threads, internalAddress) => logger.info({ threads, internalAddress }, 'ready'),
    secondReader: (isThere, why) =>
      isThere
        ? logger.info({ program: why }, 'Poppler draws changed pages, too')
        : logger.warn({ reason: why }, 'only PDFium draws changed pages'),
    secondReaderEnded: () => logger.error('the second reader ended, and is started again'),
    certificate: {
      known: (fingerprint) => logger.info({ fingerprint }, 'the service certificate is known'),
      unknown: () => logger.warn('no signer publishes the service certificate'),
      unreadable: (error) => logger.warn({ err: error }, 'the published service certificate cannot be read'),
      queueError,
    },
    trustedLists: {
      loaded: (bytes, isNew) => logger.info({ bytes, isNew }, 'trusted lists loaded'),
      refused: (territory, fault, why) =>
        logger.error({ territory, errorCode: fault, reason: why }, 'a trusted list cannot be used'),
      failed: (error) => logger.error({ err: error }, 'the trusted lists were not loaded'),
    },
    verify: {
      answered: (requestId, runMs) => logger.info({ requestId, runMs }, 'verified'),
      failed: (requestId, error) =>
        error.status >= 500
          ? logger.error({ requestId, job: 'verify', errorCode: error.code, err: error }, 'job failed')
          : // Its message may quote the document or its certificates, which only the caller may read.
            logger.info({ requestId, job: 'verify', errorCode: error.code }, 'request refused'),
      dropped: (requestId, reason) => logger.info({ requestId, job: 'verify', reason }, 'job dropped'),
      queueError,
    },
  };
}
