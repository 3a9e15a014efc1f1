import type { BlobStore } from '@scriptorium/shared/blob/store';
import { signJob } from '@scriptorium/shared/jobs/sign';
import { type PublicSigningKey, signingKeyJob } from '@scriptorium/shared/jobs/signing-key';
import { verifyJob } from '@scriptorium/shared/jobs/verify';
import type { Closeable } from '@scriptorium/shared/lifecycle';
import { type JobEvents, startJobWorker } from '@scriptorium/shared/queue/worker';
import { signHandler, signingKeyHandler, type Unseal, verifyHandler } from './handler.ts';
import type { SignThreads } from './sign-threads.ts';
import type { VerifyThreads } from './verify-threads.ts';

/** Keys are told from memory. */
const KEY_JOBS_MAX = 4;

export interface WorkerParts {
  redis: Parameters<typeof startJobWorker>[2]['redis'];
  blobs: BlobStore;
  /** Documents at a time. */
  capacity: { sign: number; verify: number };
  signing: SignThreads;
  verifying: VerifyThreads;
  unseal: Unseal;
  key: PublicSigningKey;
  events: { sign: JobEvents; verify: JobEvents; signingKey: JobEvents };
}

/** Starts to take the jobs of this service; each kind has its own queue and its own threads. */
export function startWorkers({ redis, blobs, capacity, events, ...parts }: WorkerParts): Closeable {
  const optionsOf = (count: number, jobEvents: JobEvents) => ({
    redis,
    removeBlobs: (keys: string[]) => blobs.remove(keys),
    concurrency: count,
    capacity: () => count,
    events: jobEvents,
  });
  const workers = [
    startJobWorker(
      signJob,
      signHandler(parts.signing, blobs, parts.unseal),
      optionsOf(capacity.sign, events.sign),
    ),
    startJobWorker(
      verifyJob,
      verifyHandler(parts.verifying, blobs),
      optionsOf(capacity.verify, events.verify),
    ),
    startJobWorker(signingKeyJob, signingKeyHandler(parts.key), optionsOf(KEY_JOBS_MAX, events.signingKey)),
  ];
  return { close: async () => void (await Promise.all(workers.map((worker) => worker.close()))) };
}
