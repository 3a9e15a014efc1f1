import { newId } from '@scriptorium/shared/ids';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { JobTable, StoredJob } from './job-table.ts';
import { begun, type Happening, next } from './next.ts';
import { type StepParts, step } from './steps.ts';

const LEASE_MS = 15_000;
const RENEWAL_MS = 4_000;
const IDLE_MS = 1_000;
const AWAY_MS = 3_000;
const SWEEP_MS = 600_000;

export interface RunnerParts extends StepParts {
  table: JobTable;
  /** Jobs at a time. With 0, this process runs none. */
  slots: number;
  /** The time in which a job must end, ms. */
  waitMsMax: number;
  events: {
    jobStepped(jobId: string, state: string): void;
    jobTroubled(jobId: string | undefined, error: unknown): void;
  };
}

/** Takes jobs whose turn it is, and does one step of each at a time. */
export interface Runner {
  /** A job may be due. */
  nudge(): void;
  /** Gives running jobs back, for other runners. */
  close(): Promise<void>;
}

export function startRunner(parts: RunnerParts): Runner {
  const { table, slots, events } = parts;
  const closing = new AbortController();
  const under = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let isClaiming = false;
  let isNudged = false;

  const later = (ms: number): void => {
    clearTimeout(timer);
    if (!closing.signal.aborted) timer = setTimeout(() => void fill(), ms);
  };
  const fill = async (): Promise<void> => {
    if (isClaiming) {
      isNudged = true;
      return;
    }
    isClaiming = true;
    let pause = IDLE_MS;
    try {
      while (under.size < slots && !closing.signal.aborted) {
        isNudged = false;
        const lease = newId('wrk');
        const job = await table.claim(lease, LEASE_MS);
        if (job === null && !isNudged) break;
        if (job === null) continue;
        const work = takeStep(job, lease, parts, closing.signal)
          .catch((error: unknown) => events.jobTroubled(job.id, error))
          .finally(() => {
            under.delete(work);
            void fill();
          });
        under.add(work);
      }
    } catch (error) {
      pause = AWAY_MS;
      events.jobTroubled(undefined, error);
    } finally {
      isClaiming = false;
    }
    later(pause);
  };
  const sweep = setInterval(() => void table.removeOld().catch(() => undefined), SWEEP_MS).unref();
  if (slots > 0) later(IDLE_MS);
  return {
    nudge() {
      if (slots > 0) void fill();
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      clearInterval(sweep);
      await Promise.all(under);
    },
  };
}

async function takeStep(
  claimed: StoredJob,
  lease: string,
  parts: RunnerParts,
  closing: AbortSignal,
): Promise<void> {
  const { table, events, blobs, waitMsMax } = parts;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    table.renew(claimed.id, lease, LEASE_MS).then(
      (isKept) => isKept || lost.abort(),
      () => undefined,
    );
  }, RENEWAL_MS);
  const after = async (job: StoredJob, happening: Happening, sealed = job.sealed, unused: string[] = []) => {
    const course = next(job, happening, Date.now(), waitMsMax);
    const isSaved = await table.save({ ...job, ...course, sealed }, lease);
    if (!isSaved) return;
    events.jobStepped(job.id, course.state);
    // A job that goes on in the same way needs what it had.
    if (course.state !== job.state && course.state !== 'queued')
      await blobs.remove(unused).catch(() => undefined);
  };
  try {
    const begins = begun(claimed);
    if (begins === null) {
      const error = {
        code: 'INTERNAL_ERROR',
        message: 'The service failed each time that it began this job.',
      } as const;
      const last = { ...claimed, tries: Number.MAX_SAFE_INTEGER };
      return await after(last, { kind: 'refused', error });
    }
    const job = { ...claimed, ...begins, startedAt: claimed.startedAt ?? Date.now() };
    if (job.state === 'running' && !(await table.save(job, lease, LEASE_MS))) return;
    const signal = AbortSignal.any([closing, lost.signal]);
    try {
      const { happening, sealed, unused } = await step(job, lease, parts, signal);
      await after(job, happening, sealed, unused);
    } catch (error) {
      if (closing.aborted && !lost.signal.aborted) return await giveBack(claimed, lease, table);
      if (lost.signal.aborted) return;
      events.jobTroubled(job.id, error);
      const { code, message } = toAppError(error);
      await after(job, { kind: 'refused', error: { code, message } });
    }
  } finally {
    clearInterval(renewal);
  }
}

/** For another runner, at once. */
async function giveBack(job: StoredJob, lease: string, table: JobTable): Promise<void> {
  await table.save({ ...job, dueAt: Date.now() }, lease);
}
