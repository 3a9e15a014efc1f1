import { workEnded } from '@scriptorium/sealing/idle-memory';
import type { Worker } from 'bullmq';
import { waitAtMost } from '../lifecycle.ts';

/** Time for BullMQ to close after the last job has ended. */
const CLOSE_MS_MAX = 2_000;

/** The running jobs of a worker. */
export interface RunningJobs {
  track<T>(job: Promise<T>): Promise<T>;
  /** Resolves when no job is running. */
  finished(): Promise<void>;
  areThere(): boolean;
}

export function trackRunningJobs(): RunningJobs {
  const running = new Set<Promise<unknown>>();
  return {
    track(job) {
      running.add(job);
      const done = () => {
        running.delete(job);
        workEnded();
      };
      job.then(done, done);
      return job;
    },
    async finished() {
      while (running.size > 0) await Promise.allSettled(running);
    },
    areThere: () => running.size > 0,
  };
}

/**
 * Stops taking jobs and waits for running jobs. `Worker.close` alone hangs while its blocking connection is about to
 * reconnect: it waits for an `end` event that ioredis does not emit in that state.
 */
export async function closeWorker(worker: Worker, running: RunningJobs): Promise<void> {
  const closed = worker.close();
  do {
    await running.finished();
    await waitAtMost(CLOSE_MS_MAX, closed);
    // Redis may have assigned another job to this worker before.
  } while (running.areThere());
}
