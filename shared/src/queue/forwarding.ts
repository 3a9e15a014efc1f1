import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { sendInSpan } from '../tracing/job-spans.ts';
import type { Cancels } from './cancels.ts';
import type { JobEnvelope, NextStep } from './define-job.ts';
import { openQueue } from './open-queue.ts';
import { CANCEL_CHANNEL } from './reply.ts';

export interface ForwardingParts {
  redis: Redis;
  cancels: Cancels;
  removeBlobs(keys: string[]): Promise<void>;
}

/** Hands requests on to the workers of their next step. */
export interface Forwarding {
  /**
   * Adds the next step's job, once however often it is called for a request: `envelope` is that job's, `made` the blobs
   * of it that this run made. Rejects with the signal's reason where nobody waits any more, and leaves no job then.
   */
  forward(step: NextStep, envelope: JobEnvelope, made: string[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function openForwarding({ redis, cancels, removeBlobs }: ForwardingParts): Forwarding {
  const queues = new Map<string, Queue>();
  const queueOf = (name: string): Queue => {
    const queue = queues.get(name) ?? openQueue(name, redis, { attempts: 1 });
    queues.set(name, queue);
    return queue;
  };

  const takeBack = async (queue: Queue, requestId: string): Promise<void> => {
    // What a worker has begun cannot be removed, but cancelled.
    if ((await queue.remove(requestId)) === 0) await redis.publish(CANCEL_CHANNEL, requestId);
  };

  return {
    async forward({ queue: name, input }, envelope, made, signal) {
      signal.throwIfAborted();
      const queue = queueOf(name);
      const { requestId, priority } = envelope;
      await sendInSpan(name, requestId, (carried) =>
        queue.add(name, { ...envelope, input, ...carried }, { jobId: requestId, priority }),
      );
      // A cancel that came before the job found nothing to remove.
      await cancels.heard();
      if (signal.aborted) {
        await takeBack(queue, requestId);
        signal.throwIfAborted();
      }
      // An earlier run of this step, taken for dead, may have added the job: then nobody reads what this one made.
      const added = (await queue.getJob(requestId))?.data as JobEnvelope | undefined;
      await removeBlobs(made.filter((key) => !added?.blobs.includes(key)));
    },
    close: async () => void (await Promise.all([...queues.values()].map((queue) => queue.close()))),
  };
}
