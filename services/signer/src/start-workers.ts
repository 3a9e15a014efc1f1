import type { AppError } from '@scriptorium/contracts/errors';
import { augmentJob } from '@scriptorium/contracts/jobs/augment';
import { signRowsJob } from '@scriptorium/contracts/jobs/rows';
import { signJob } from '@scriptorium/contracts/jobs/sign';
import { type PublicSigningKey, signingKeyJob } from '@scriptorium/contracts/jobs/signing-key';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import type { JobMetrics } from '@scriptorium/shared/metrics/job-metrics';
import type { JobEvents } from '@scriptorium/shared/queue/job-handler';
import { joinChains, publishServiceCertificate } from '@scriptorium/shared/queue/service-certificate';
import { startJobWorker } from '@scriptorium/shared/queue/worker';
import { type WorkerBackends, workerParts } from '@scriptorium/shared/queue/worker-backends';
import { traced } from '@scriptorium/shared/tracing/trace';
import { laneOfThreads } from '@scriptorium/shares/lane';
import { augmentHandler, type Opening, signHandler, signingKeyHandler } from './handler.ts';
import { signRowsHandler } from './sign-rows.ts';
import type { SignThreads } from './sign-threads.ts';

/** These jobs answer from memory. */
const KEY_JOBS_MAX = 4;

export interface WorkerParts {
  backends: WorkerBackends;
  /** Documents processed concurrently. */
  capacity: number;
  signing: SignThreads;
  opening: Opening;
  key: PublicSigningKey;
  /** The chains of other keys of the service, in PEM. */
  otherChains: readonly string[];
  events: {
    sign: JobEvents;
    signRows: JobEvents;
    augment: JobEvents;
    rowFailed(requestId: string, error: AppError): void;
    signingKey: JobEvents;
    certificateDisputed(other: string): void;
  };
  metrics: JobMetrics;
}

/** Starts the workers for this service's jobs, and publishes the service certificate. */
export function startWorkers(parts: WorkerParts): Closeable {
  const { backends, capacity, events, metrics } = parts;
  const blobsOf = (queue: string) => metrics.weighed(queue, backends.blobs);
  const lane = laneOfThreads(capacity);
  const optionsOf = (queue: string, concurrency: number, jobEvents: JobEvents) =>
    workerParts(backends, metrics, queue, { concurrency, events: jobEvents, lane });
  const signing = {
    sign: traced('sign', parts.signing.sign),
    augment: traced('augment', parts.signing.augment),
  };
  const signRows = signRowsHandler({
    threads: signing,
    blobs: blobsOf(signRowsJob.name),
    opening: parts.opening,
    onFailure: events.rowFailed,
  });
  const workers = [
    startJobWorker(
      signJob,
      signHandler(signing, blobsOf(signJob.name), parts.opening),
      optionsOf(signJob.name, capacity, events.sign),
    ),
    startJobWorker(
      augmentJob,
      augmentHandler(signing, blobsOf(augmentJob.name), parts.opening),
      optionsOf(augmentJob.name, capacity, events.augment),
    ),
    startJobWorker(signRowsJob, signRows, optionsOf(signRowsJob.name, capacity, events.signRows)),
    startJobWorker(
      signingKeyJob,
      signingKeyHandler(parts.key),
      optionsOf(signingKeyJob.name, KEY_JOBS_MAX, events.signingKey),
    ),
  ];
  const chains = joinChains([parts.key.certificate, ...parts.otherChains]);
  const publication = publishServiceCertificate(backends.queue, chains, {
    disputed: events.certificateDisputed,
    queueError: events.signingKey.queueError,
  });
  return {
    close: async () => void (await Promise.all([...workers, publication].map((part) => part.close()))),
  };
}
