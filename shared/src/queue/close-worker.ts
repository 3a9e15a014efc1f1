import type { Worker } from 'bullmq';
import { waitAtMost } from '../lifecycle.ts';

/** For the queue's own part of closing, once no job runs any more. */
const CLOSE_MS_MAX = 2_000;

/** Knows which jobs of a worker are running. */
export interface RunningJobs {
  track<T>(job: Promise<T>): Promise<T>;
  /** Resolves when none runs. */
  finished(): Promise<void>;
  areThere(): boolean;
}

export function trackRunningJobs(): RunningJobs {
  const running = new Set<Promise<unknown>>();
  return {
    track(job) {
      running.add(job);
      const done = () => void running.delete(job);
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
 * Takes no more jobs and waits for those that run. `Worker.close` alone never ends when it is called while its blocking
 * connection is about to reconnect: it waits for an `end` that ioredis does not emit in that state.
 */
export async function closeWorker(worker: Worker, running: RunningJobs): Promise<void> {
  const closed = worker.close();
  do {
    await running.finished();
    await waitAtMost(CLOSE_MS_MAX, closed);
    // One may have begun meanwhile: Redis had given it to this worker already.
  } while (running.areThere());
}
