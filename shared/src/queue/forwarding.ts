import type { NextStep } from '@scriptorium/contracts/define-job';
import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { sendInSpan } from '../tracing/job-spans.ts';
import type { Cancels } from './cancels.ts';
import type { JobEnvelope } from './envelope.ts';
import { openQueues } from './open-queue.ts';
import { CANCEL_CHANNEL } from './reply.ts';

export interface ForwardingParts {
  redis: Redis;
  cancels: Cancels;
  removeBlobs(keys: string[]): Promise<void>;
}

/** Forwards requests to the workers of the next step. */
export interface Forwarding {
  /**
   * Adds the job of the next step, only once per request. `envelope` belongs to that job, with its input; `made` are the blobs that this run
   * added to it. Rejects with the reason of the signal if the request was canceled, and then leaves no job.
   */
  forward(step: NextStep, envelope: JobEnvelope, made: string[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** For the `catch` of a forwarding. An error of Redis is none of the document, and may pass. */
export const unlessEnded =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    if (signal.aborted || error instanceof AppError) throw error;
    return unavailable('queue')(error);
  };

export function openForwarding({ redis, cancels, removeBlobs }: ForwardingParts): Forwarding {
  const queues = openQueues(redis);

  const takeBack = async (queue: Queue, requestId: string): Promise<void> => {
    // A started job cannot be removed, only canceled.
    if ((await queue.remove(requestId)) === 0) await redis.publish(CANCEL_CHANNEL, requestId);
  };

  return {
    async forward({ queue: name }, envelope, made, signal) {
      signal.throwIfAborted();
      const queue = queues.of(name);
      const { requestId, priority } = envelope;
      await sendInSpan(name, requestId, (carried) =>
        queue.add(name, { ...envelope, ...carried }, { jobId: requestId, priority }),
      );
      // A cancellation that arrived before the job could not remove it.
      await cancels.received();
      if (signal.aborted) {
        await takeBack(queue, requestId);
        signal.throwIfAborted();
      }
      const added = (await queue.getJob(requestId))?.data as JobEnvelope | undefined;
      // If an earlier, stalled run added the job, the blobs of this run, and of runs that led to it, are unused. A job
      // that has already ended may have given the other blobs to the step after it.
      const unused = added === undefined ? made : envelope.blobs.filter((key) => !added.blobs.includes(key));
      await removeBlobs(unused);
    },
    close: () => queues.close(),
  };
}
