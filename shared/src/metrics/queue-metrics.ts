import type { Redis } from 'ioredis';
import { readDepth } from '../queue/depth.ts';
import { countWorkers } from '../queue/workers.ts';
import type { Metrics } from './metrics.ts';

/** Names of queues: `jobs` are those whose workers announce themselves. */
export interface WatchedQueues {
  jobs: readonly string[];
  others: readonly string[];
}

/** Shows what is in the queues and who works on them; nothing of it while Redis is away. `redis` fails fast. */
export function watchQueues(metrics: Metrics, redis: Redis, queues: WatchedQueues): void {
  const jobs = metrics.gauge('queue_jobs', 'Jobs in a queue, by state; every gateway tells the same', [
    'queue',
    'state',
  ]);
  const oldest = metrics.gauge('queue_oldest_seconds', 'Wait of the oldest job that nobody has begun', [
    'queue',
  ]);
  const workers = metrics.gauge('queue_workers', 'Workers that have announced themselves', ['queue']);
  const capacity = metrics.gauge('queue_capacity', 'Jobs that they can have in work at a time', ['queue']);
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
