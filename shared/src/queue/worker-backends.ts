import type { Secrets } from '@scriptorium/sealing/secret-bytes';
import type { SlowLane } from '@scriptorium/shares/lane';
import { createRedisBlobStore } from '../blob/redis.ts';
import type { BlobStore } from '../blob/store.ts';
import type { Secret } from '../config.ts';
import type { Closeable } from '../lifecycle.ts';
import type { JobMetrics } from '../metrics/job-metrics.ts';
import { jobSecretBytes } from '../secrets/settings.ts';
import { tracedBlobs } from '../tracing/traced-blobs.ts';
import { connectPatient, disconnect, type RedisSettings } from './connection.ts';
import type { JobEvents } from './job-handler.ts';
import type { JobWorkerParts } from './worker.ts';

/** The servers behind a worker. The connections wait for them to come back. */
export interface WorkerBackends extends Closeable {
  queue: ReturnType<typeof connectPatient>;
  blobs: BlobStore;
  /** The secrets of the role of the worker; see `JobWorkerParts`. */
  secret: Secrets | undefined;
  /** Each check throws while its server is down. */
  checks: Record<'queue' | 'store', () => Promise<unknown>>;
}

export function openWorkerBackends(
  config: {
    REDIS_URL: Secret;
    REDIS_BLOB_URL?: Secret | undefined;
  } & RedisSettings,
  secret: Secret | undefined,
): WorkerBackends {
  const queue = connectPatient(config.REDIS_URL, config);
  const store = connectPatient(config.REDIS_BLOB_URL ?? config.REDIS_URL, config);
  return {
    queue,
    secret: jobSecretBytes(secret),
    blobs: tracedBlobs(createRedisBlobStore(store, queue)),
    checks: { queue: () => pingIfReady(queue), store: () => pingIfReady(store) },
    async close() {
      await Promise.all([disconnect(queue), disconnect(store)]);
    },
  };
}

/** The settings of a worker of one queue. */
export interface WorkerSettings {
  concurrency: number;
  /** See `JobWorkerParts`. By default `concurrency`. */
  capacity?: () => number;
  isTaking?: JobWorkerParts['isTaking'];
  engine?: JobWorkerParts['engine'];
  lane?: SlowLane | undefined;
  events: JobEvents;
}

/** Returns the parts of a worker on these servers. Its jobs are counted. */
export function workerParts(
  { queue: redis, blobs, secret }: WorkerBackends,
  metrics: JobMetrics,
  queue: string,
  { concurrency, capacity = () => concurrency, events, lane, ...rest }: WorkerSettings,
): JobWorkerParts {
  return {
    ...rest,
    ...(lane && { lane }),
    redis,
    secret,
    concurrency,
    capacity,
    blobs,
    events: metrics.counted(queue, capacity, events),
  };
}

/** Throws without a command while the server is down, since the command would wait. */
async function pingIfReady(redis: ReturnType<typeof connectPatient>): Promise<unknown> {
  if (redis.status !== 'ready') throw new Error('not connected');
  return redis.ping();
}
