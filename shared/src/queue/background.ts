import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { z } from 'zod';
import { closeWorker, trackRunningJobs } from './close-worker.ts';
import { KEY_PREFIX } from './connection.ts';
import { openQueue } from './open-queue.ts';

const ATTEMPTS_MAX = 5;
const BACKOFF_MS = 2_000;

/** A queue for background jobs. Each job runs at least once, with retries at increasing intervals. */
export interface BackgroundQueue<Data> {
  add(data: Data): Promise<void>;
  close(): Promise<void>;
}

/** `redis` fails fast, so that a failed `add` rejects at once. */
export function openBackgroundQueue<Data>(name: string, redis: Redis): BackgroundQueue<Data> {
  const queue = openQueue(name, redis, {
    attempts: ATTEMPTS_MAX,
    backoff: { type: 'exponential', delay: BACKOFF_MS },
  });
  return {
    async add(data) {
      await queue.add(name, data);
    },
    close: () => queue.close(),
  };
}

export interface BackgroundWorkerParts<Schema extends z.ZodType> {
  name: string;
  schema: Schema;
  /** A connection that waits for Redis to come back. */
  redis: Redis;
  concurrency: number;
  /** `attempt` starts at 0. An error causes another attempt. */
  handle(data: z.output<Schema>, attempt: number): Promise<void>;
  /** Called for each failed attempt. */
  onFailure(error: unknown, isLast: boolean): void;
  /** Called for errors of the queue, not of jobs. */
  onQueueError(error: unknown): void;
}

export function startBackgroundWorker<Schema extends z.ZodType>(
  parts: BackgroundWorkerParts<Schema>,
): { close(): Promise<void> } {
  const running = trackRunningJobs();
  const worker = new Worker(
    parts.name,
    (job) => running.track(parts.handle(parts.schema.parse(job.data), job.attemptsMade)),
    {
      connection: parts.redis,
      prefix: KEY_PREFIX,
      concurrency: parts.concurrency,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
  );
  worker.on('error', parts.onQueueError);
  worker.on('failed', (job, error) => parts.onFailure(error, (job?.attemptsMade ?? 0) >= ATTEMPTS_MAX));
  return { close: () => closeWorker(worker, running) };
}
