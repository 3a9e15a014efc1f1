import { setTimeout as sleep } from 'node:timers/promises';
import type { AppError } from '@scriptorium/contracts/errors';
import { DelayedError, type Job, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { closeWorker, type RunningJobs } from './close-worker.ts';
import { KEY_PREFIX } from './connection.ts';
import { type JobEnvelope, jobEnvelope } from './envelope.ts';

/** Another worker takes the job of a killed worker after at most LOCK_MS + STALLED_CHECK_MS. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** How long a worker leaves a job to the other workers after it has put it back for one of them. */
const AVOID_MS = 2_000;
/** The place that gave a job back pauses for longer than the job, so that it is not the one that takes it again. */
const [AVOID_DELAY_MS, AVOID_PAUSE_MS] = [100, 300];

/** A handler throws it for a job that must run later, or elsewhere. Others run meanwhile. */
export class PutBack extends Error {
  readonly delayMs: number;
  /** For a job that another worker shall take: the answer without another worker. */
  readonly instead: AppError | undefined;

  constructor(delayMs: number, instead?: AppError) {
    super('the job was put back');
    this.delayMs = delayMs;
    this.instead = instead;
  }
}

export interface CrewParts {
  name: string;
  redis: Redis;
  concurrency: number;
  running: RunningJobs;
  /** The id of this worker in its notices. */
  workerId: string;
  /** Throws `PutBack` for a job that goes back to the queue. */
  work(job: Job<JobEnvelope>, signal: AbortSignal): Promise<void>;
  failed(job: Job<JobEnvelope> | undefined, error: Error): void;
  onError(error: unknown): void;
}

/** The workers of BullMQ that take the jobs of one queue in this process. */
export interface Crew {
  /** Takes one more job at a time until the returned function is called. */
  add(): () => void;
  cancel(requestId: string): void;
  /** It takes no jobs before. */
  start(): void;
  /** Takes no jobs until the next `start`. Running jobs go on. */
  stop(): void;
  close(): Promise<void>;
}

/**
 * BullMQ does not notice a higher concurrency until one of its jobs ends, and takes a job after a pause has begun. So a place
 * more is a worker more, and a pause closes the workers.
 */
export function openCrew(parts: CrewParts): Crew {
  const { running, workerId } = parts;
  const workers = new Set<Worker<JobEnvelope>>();
  let main: Worker<JobEnvelope> | undefined;

  const process = async (job: Job<JobEnvelope>, token?: string, signal = new AbortController().signal) => {
    const backAfter = async (delayMs: number, pauseMs = 0): Promise<never> => {
      await job.moveToDelayed(Date.now() + delayMs, token).then(() => sleep(pauseMs));
      throw new DelayedError();
    };
    const { avoid } = jobEnvelope.parse(job.data);
    if (avoid?.worker === workerId && Date.now() < avoid.until)
      return await backAfter(AVOID_DELAY_MS, AVOID_PAUSE_MS);
    try {
      await parts.work(job, signal);
    } catch (error) {
      if (!(error instanceof PutBack)) throw error;
      if (error.instead !== undefined)
        await job.updateData({ ...job.data, avoid: { worker: workerId, until: Date.now() + AVOID_MS } });
      await backAfter(error.delayMs);
    }
  };
  const open = (concurrency: number): Worker<JobEnvelope> => {
    const worker = new Worker<JobEnvelope>(
      parts.name,
      (job, token, signal) => running.track(process(job, token, signal)),
      {
        connection: parts.redis,
        prefix: KEY_PREFIX,
        concurrency,
        lockDuration: LOCK_MS,
        stalledInterval: STALLED_CHECK_MS,
        maxStalledCount: 1,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    );
    worker.on('error', parts.onError);
    worker.on('failed', parts.failed);
    workers.add(worker);
    return worker;
  };
  const end = (worker: Worker<JobEnvelope>): void => {
    const closed = worker.close().catch(parts.onError);
    void closed.then(() => workers.delete(worker));
  };

  return {
    add() {
      const worker = main === undefined ? undefined : open(1);
      return () => worker && end(worker);
    },
    cancel(requestId) {
      for (const worker of workers) worker.cancelJob(requestId);
    },
    start() {
      main ??= open(parts.concurrency);
    },
    stop() {
      for (const worker of workers) end(worker);
      main = undefined;
    },
    close: async () => void (await Promise.all([...workers].map((worker) => closeWorker(worker, running)))),
  };
}
