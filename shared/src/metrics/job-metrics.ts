import type { BlobStore } from '../blob/store.ts';
import type { JobEvents } from '../queue/job-handler.ts';
import { type Metrics, startAtZero } from './metrics.ts';

const OUTCOMES = ['answered', 'refused', 'failed', 'cancelled', 'deadline', 'gateway_gone'] as const;

/** The metrics of a worker, by queue. */
export interface JobMetrics {
  /** Counts the events of a queue and forwards them. */
  counted(queue: string, capacity: () => number, events: JobEvents): JobEvents;
  /** Counts the bytes that jobs of the queue read. */
  weighed(queue: string, blobs: BlobStore): BlobStore;
}

export function jobMetrics(metrics: Metrics): JobMetrics {
  const outcomes = metrics.counter('jobs_total', 'Finished jobs of this worker', ['queue', 'outcome']);
  const errors = metrics.counter('job_errors_total', 'Jobs that were rejected or failed, by error code', [
    'queue',
    'code',
  ]);
  const waits = metrics.histogram(
    'job_wait_seconds',
    'Time from queueing to start, seconds; a second attempt counts from the first queueing',
    ['queue'],
  );
  const runs = metrics.histogram('job_run_seconds', 'Time from start to answer, seconds', ['queue']);
  const running = metrics.gauge('jobs_running', 'Running jobs', ['queue']);
  const capacities = metrics.gauge('worker_capacity', 'Maximum number of running jobs at this time', [
    'queue',
  ]);
  const bytes = metrics.counter('document_bytes_total', 'Bytes that jobs have read and written', [
    'queue',
    'direction',
  ]);
  return {
    counted(queue, capacity, events) {
      /** By request: a job may end here without a start. */
      const runningJobs = new Set<string>();
      startAtZero(outcomes, 'outcome', OUTCOMES, { queue });
      const end = (requestId: string, outcome: (typeof OUTCOMES)[number]): void => {
        runningJobs.delete(requestId);
        outcomes.inc({ queue, outcome });
      };
      metrics.beforePage(() => {
        running.set({ queue }, runningJobs.size);
        capacities.set({ queue }, capacity());
      });
      return {
        ...events,
        made(count) {
          bytes.inc({ queue, direction: 'out' }, count);
          events.made?.(count);
        },
        began(requestId, waitMs) {
          runningJobs.add(requestId);
          waits.observe({ queue }, waitMs / 1000);
          events.began?.(requestId, waitMs);
        },
        answered(requestId, runMs) {
          end(requestId, 'answered');
          runs.observe({ queue }, runMs / 1000);
          events.answered(requestId, runMs);
        },
        failed(requestId, error) {
          end(requestId, error.status >= 500 ? 'failed' : 'refused');
          errors.inc({ queue, code: error.code });
          events.failed(requestId, error);
        },
        putBack: (requestId) => void runningJobs.delete(requestId),
        dropped(requestId, reason) {
          end(requestId, reason === 'gateway gone' ? 'gateway_gone' : reason);
          events.dropped(requestId, reason);
        },
      };
    },
    weighed: (queue, blobs) => ({
      ...blobs,
      async get(key) {
        const found = await blobs.get(key);
        bytes.inc({ queue, direction: 'in' }, found?.length ?? 0);
        return found;
      },
    }),
  };
}
