import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { WorkerCensus } from '@scriptorium/shared/queue/workers';
import type { WaitingJobs } from '../http/context.ts';

/** Health reports a worker so soon after it announced itself. */
const CENSUS_MS_MAX = 250;
const RETRY_SECONDS_MAX = 60;
const AWAY_RETRY_SECONDS = 5;
/** A worker that is starting is there sooner. */
const NONE_MS_MAX = 30_000;

export interface LoadSheddingLimits {
  queueLengthMax: number;
  queueWaitMsMax: number;
}

/** Rejects a request whose expected wait for a worker exceeds the limit, or that no worker will take. */
export interface LoadShedder {
  /**
   * Throws OVERLOADED with the seconds until the queue should be short enough. Throws UNAVAILABLE without Redis, when all workers
   * have said that they take no jobs, or without workers for half a minute. `counted` are the waiting jobs, if they are known.
   */
  check(counted?: WaitingJobs): Promise<void>;
  census(): Promise<WorkerCensus>;
}

export interface LoadShedderParts {
  waiting(): Promise<number>;
  countWorkers(): Promise<WorkerCensus>;
  limits: LoadSheddingLimits;
}

export function createLoadShedder({ waiting, countWorkers, limits }: LoadShedderParts): LoadShedder {
  let known: { census: Promise<WorkerCensus>; at: number } | undefined;
  let noneSince: number | undefined;

  const census = (): Promise<WorkerCensus> => {
    if (known === undefined || performance.now() - known.at > CENSUS_MS_MAX) {
      const counted = countWorkers();
      known = { census: counted, at: performance.now() };
      counted.catch(() => {
        known = undefined;
      });
    }
    return known.census;
  };

  return {
    census,
    async check(counted) {
      const all = counted?.all ?? (await waiting().catch(unavailable('queue')));
      const { before } = counted ?? { before: all };
      const { capacity, away, runMsMean } = await census().catch(unavailable('queue'));
      noneSince = capacity > 0 ? undefined : (noneSince ?? performance.now());
      const noneMs = noneSince === undefined ? 0 : performance.now() - noneSince;
      if (capacity === 0 && (away > 0 || noneMs >= NONE_MS_MAX))
        throw new AppError('UNAVAILABLE', 'No worker can take the job now.', {
          retryAfterSeconds: AWAY_RETRY_SECONDS,
        });
      if (all >= limits.queueLengthMax)
        throw overloaded(
          `The queue has reached its limit of ${limits.queueLengthMax} waiting jobs.`,
          (all * runMsMean) / 2,
        );
      // Without a worker the wait cannot be estimated: one may be starting. The wait limit of the job applies.
      const waitMs = capacity === 0 ? 0 : (before * runMsMean) / capacity;
      if (waitMs > limits.queueWaitMsMax)
        throw overloaded('The expected wait for a worker exceeds the limit.', waitMs - limits.queueWaitMsMax);
    },
  };
}

function overloaded(message: string, excessMs: number): AppError {
  const retryAfterSeconds = Math.min(RETRY_SECONDS_MAX, Math.max(1, Math.ceil(excessMs / 1000)));
  return new AppError('OVERLOADED', message, { retryAfterSeconds });
}
