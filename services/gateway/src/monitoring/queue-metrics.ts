import type { Metrics } from '@scriptorium/shared/metrics/metrics';
import { readDepth } from '@scriptorium/shared/queue/depth';
import { countWorkers } from '@scriptorium/shared/queue/workers';
import type { Redis } from 'ioredis';

/** Names of queues. `jobs` are the queues whose workers send notices. */
export interface WatchedQueues {
  jobs: readonly string[];
  others: readonly string[];
}

/** Reports the jobs and workers of the queues. The metrics are omitted while Redis is down. `redis` fails fast. */
export function watchQueues(metrics: Metrics, redis: Redis, queues: WatchedQueues): void {
  const jobs = metrics.gauge('queue_jobs', 'Jobs in a queue, by state; the same on every gateway', [
    'queue',
    'state',
  ]);
  const oldest = metrics.gauge(
    'queue_oldest_seconds',
    'Wait of the oldest job that no worker has started, seconds',
    ['queue'],
  );
  const workers = metrics.gauge('queue_workers', 'Workers that take jobs', ['queue']);
  const capacity = metrics.gauge('queue_capacity', 'Jobs that all workers of the queue can run at a time', [
    'queue',
  ]);
  metrics.beforePage(() => {
    for (const gauge of [jobs, oldest, workers, capacity]) gauge.reset();
  });
  for (const queue of [...queues.jobs, ...queues.others])
    metrics.beforePage(async () => {
      const { oldestSeconds, ...counts } = await readDepth(redis, queue);
      for (const [state, count] of Object.entries(counts)) jobs.set({ queue, state }, count);
      oldest.set({ queue }, oldestSeconds);
    });
  for (const queue of queues.jobs)
    metrics.beforePage(async () => {
      const census = await countWorkers(redis, queue);
      workers.set({ queue }, census.workers);
      capacity.set({ queue }, census.capacity);
    });
}
