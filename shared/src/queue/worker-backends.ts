import { createRedisBlobStore } from '../blob/redis.ts';
import type { BlobStore } from '../blob/store.ts';
import type { Secret } from '../config.ts';
import type { Closeable } from '../lifecycle.ts';
import type { JobMetrics } from '../metrics/job-metrics.ts';
import { tracedBlobs } from '../tracing/traced-blobs.ts';
import { connectPatient, disconnect } from './connection.ts';
import type { JobEvents } from './job-handler.ts';
import type { JobWorkerParts } from './worker.ts';

/** The servers behind a worker, which waits for them to come back. */
export interface WorkerBackends extends Closeable {
  queue: ReturnType<typeof connectPatient>;
  blobs: BlobStore;
  /** Each throws while its server is away. */
  checks: Record<'queue' | 'store', () => Promise<unknown>>;
}

export function openWorkerBackends(config: {
  REDIS_URL: Secret;
  REDIS_BLOB_URL?: Secret | undefined;
}): WorkerBackends {
  const queue = connectPatient(config.REDIS_URL);
  const store = connectPatient(config.REDIS_BLOB_URL ?? config.REDIS_URL);
  return {
    queue,
    blobs: tracedBlobs(createRedisBlobStore(store)),
    checks: { queue: () => pingIfReady(queue), store: () => pingIfReady(store) },
    async close() {
      await Promise.all([disconnect(queue), disconnect(store)]);
    },
  };
}

/** What a worker of one queue is told by. */
export interface WorkerSettings {
  concurrency: number;
  /** As `JobWorkerParts` has it; by default `concurrency`. */
  capacity?: () => number;
  sandbox?: JobWorkerParts['sandbox'];
  events: JobEvents;
}

/** What a worker of a queue is started with on these servers; its jobs are counted. */
export function workerParts(
  { queue: redis, blobs }: WorkerBackends,
  metrics: JobMetrics,
  queue: string,
  { concurrency, capacity = () => concurrency, events, ...rest }: WorkerSettings,
): JobWorkerParts {
  return {
    ...rest,
    redis,
    concurrency,
    capacity,
    removeBlobs: (keys) => blobs.remove(keys),
    events: metrics.counted(queue, capacity, events),
  };
}

/** Of a server that is away nothing is asked: the question would wait for it. */
async function pingIfReady(redis: ReturnType<typeof connectPatient>): Promise<unknown> {
  if (redis.status !== 'ready') throw new Error('not connected');
  return redis.ping();
}
