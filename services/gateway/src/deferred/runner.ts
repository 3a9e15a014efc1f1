import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@scriptorium/shared/ids';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { hasEnded } from './job.ts';
import type { JobTable, StepKind, StoredJob } from './job-table.ts';
import { begun, type Course, type Happening, next } from './next.ts';
import { removeUnused } from './remove-unused.ts';
import type { RepeatableCalls } from './repeatable-calls.ts';
import type { Keep, StepParts, Stepped } from './step-parts.ts';
import { resultKeyOf, step } from './steps.ts';

const LEASE_MS = 15_000;
const RENEWAL_MS = 4_000;
const IDLE_MS = 1_000;
const AWAY_MS = 3_000;
const SWEEP_MS = 600_000;
const SAVE_PAUSE_MS = 1_000;
const SAVE_MS_MAX = 20_000;
/** How long a batch runs while batches of other owners wait, and a job whose key was revoked. */
const TURN_MS = 60_000;
/** A batch whose answer is one file keeps its slot to its end, and holds a part of the file in memory. */
const WHOLE_SHARE = 2;
/** Sending waits for others, and takes no work here. */
const SENDS_A_RUN = 4;

export interface RunnerParts extends StepParts {
  table: JobTable;
  /** Their old ones are removed with old jobs. */
  calls: Pick<RepeatableCalls, 'removeOld'>;
  /** Whether the database has its schema. */
  isReady(): boolean;
  /** Jobs that run at a time. With 0, this process does nothing for jobs. */
  slots: number;
  /** The time in which a job must end, ms. */
  waitMsMax: number;
  turnMs?: number;
  renewalMs?: number;
  removalMs?: number;
  events: StepParts['events'] & {
    jobStepped(before: StoredJob, happening: Happening, after: Course): void;
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
  const { table, calls, slots } = parts;
  const closing = new AbortController();
  const crews = [
    startCrew('run', slots, parts, closing.signal, () => nudge()),
    startCrew('batch', slots, parts, closing.signal, () => nudge()),
    startCrew('whole batch', Math.ceil(slots / WHOLE_SHARE), parts, closing.signal, () => nudge()),
    startCrew('send', SENDS_A_RUN * slots, parts, closing.signal, () => nudge()),
  ];
  const nudge = (): void => {
    for (const crew of crews) crew.nudge();
  };
  const removeOld = () => Promise.all([table.removeOld(), calls.removeOld()]);
  const sweep = setInterval(() => void removeOld().catch(() => undefined), SWEEP_MS).unref();
  return {
    nudge,
    async close() {
      closing.abort();
      clearInterval(sweep);
      await Promise.all(crews.map((crew) => crew.close()));
    },
  };
}

/** Takes one kind of steps. `done` is called after each: the job may have another one. */
function startCrew(
  kind: StepKind,
  slots: number,
  parts: RunnerParts,
  closing: AbortSignal,
  done: () => void,
): Runner {
  const { table, events } = parts;
  const under = new Map<Promise<void>, string>();
  let timer: NodeJS.Timeout | undefined;
  let isClaiming = false;
  let claiming = Promise.resolve();
  let isNudged = false;

  /** Owners that have all slots but one: the last is for another. */
  const owningMost = (): Buffer[] => {
    const counts = new Map<string, number>();
    for (const owner of under.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const mostOf = slots > 1 ? slots - 1 : 1;
    return [...counts].filter(([, count]) => count >= mostOf).map(([owner]) => Buffer.from(owner, 'base64'));
  };
  const begin = (job: StoredJob, lease: string): void => {
    const work = takeStep(job, lease, parts, closing)
      .catch((error: unknown) => events.jobTroubled(job.id, error))
      .finally(() => {
        under.delete(work);
        done();
      });
    under.set(work, job.ownerHash.toString('base64'));
  };
  const claimAll = async (): Promise<void> => {
    while (parts.isReady() && under.size < slots && !closing.aborted) {
      isNudged = false;
      const lease = newId('wrk');
      const job = await table.claim(kind, lease, LEASE_MS, owningMost());
      if (job !== null) begin(job, lease);
      else if (!isNudged) return;
    }
  };
  const fill = (): void => {
    isNudged = true;
    if (isClaiming || closing.aborted) return;
    isClaiming = true;
    clearTimeout(timer);
    const again = (ms: number): void => {
      isClaiming = false;
      if (!closing.aborted) timer = setTimeout(fill, ms);
    };
    claiming = claimAll().then(
      () => again(IDLE_MS),
      (error) => {
        events.jobTroubled(undefined, error);
        again(AWAY_MS);
      },
    );
  };
  timer = setTimeout(fill, IDLE_MS);
  return {
    nudge: fill,
    async close() {
      clearTimeout(timer);
      // A claim on its way may still bring a job, which is given back.
      await claiming;
      await Promise.all(under.keys());
    },
  };
}

async function takeStep(
  claimed: StoredJob,
  lease: string,
  parts: RunnerParts,
  closing: AbortSignal,
): Promise<void> {
  const { table, events, waitMsMax } = parts;
  const { parts: own } = claimed;
  if (own === null) return table.giveUp(claimed.id, lease);
  const begins = begun(claimed);
  if (begins === null) {
    const error = {
      code: 'UNPROCESSABLE',
      message: 'The service ended each time that it began this job.',
    } as const;
    return writeCourse(claimed, lease, parts, { happening: { kind: 'refused', error } });
  }
  let job = { ...claimed, ...begins, startedAt: claimed.startedAt ?? Date.now(), parts: own };
  if (job.state === 'running' && !(await table.save(job, lease, LEASE_MS))) return;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    table.renew(claimed.id, lease, LEASE_MS).then(
      (isKept) => isKept || lost.abort(),
      () => undefined,
    );
  }, parts.renewalMs ?? RENEWAL_MS);
  const turnMs = parts.turnMs ?? TURN_MS;
  // A batch keeps its place while it reads up to it, or if it would begin anew.
  let goesOnSince = Number.POSITIVE_INFINITY;
  const turn = new AbortController();
  const isTurnOver = async (): Promise<void> => {
    const hadTurn = Date.now() - goesOnSince >= turnMs / 2;
    const isAwaited = hadTurn && (await table.isAwaited('batch', job.ownerHash).catch(() => false));
    // The next runner refuses it.
    const isRevoked =
      job.state === 'running' &&
      (await parts.ownerOf(job.keyId).then(
        (owner) => owner === null,
        () => false,
      ));
    if (isAwaited || isRevoked) turn.abort();
  };
  const turns = setInterval(isTurnOver, turnMs);
  const keep: Keep = async (happening, changes) => {
    const { rows = 0 } = claimed.progress ?? {};
    if (happening.kind === 'progressed' && happening.isKept && happening.progress.rows > rows)
      goesOnSince = Math.min(goesOnSince, Date.now());
    const after = { ...job, ...next(job, happening, Date.now(), waitMsMax), ...changes };
    if (await table.save(after, lease, LEASE_MS)) job = { ...after, parts: after.parts ?? own };
    else lost.abort();
  };
  try {
    const stopped = AbortSignal.any([closing, lost.signal, turn.signal]);
    const stepped = await step(job, lease, parts, stopped, keep).catch((error: unknown) => ({ error }));
    if (!('error' in stepped)) return await writeCourse(job, lease, parts, stepped);
    if (lost.signal.aborted) {
      await leave(job, lease, parts);
    } else if (closing.aborted || turn.signal.aborted) {
      // The runner did not end with it.
      const runs = Math.max(0, job.runs - 1);
      await table.save({ ...job, state: claimed.state, runs, dueAt: Date.now() }, lease);
    } else {
      events.jobTroubled(job.id, stepped.error);
      const { code, message } = toAppError(stepped.error);
      await removeQuietly(parts.blobs, [resultKeyOf(job.id, lease)]);
      await writeCourse(job, lease, parts, { happening: { kind: 'troubled', error: { code, message } } });
    }
  } finally {
    clearInterval(renewal);
    clearInterval(turns);
  }
}

/**
 * Leaves a job that another runner has, or that has ended meanwhile. The gateway that canceled it may be in another region, without its
 * documents.
 */
async function leave(job: StoredJob, lease: string, { table, blobs }: RunnerParts): Promise<void> {
  const { input, result } = job.parts ?? {};
  // The result of a job that had ended waits for its owner.
  const isOver = !hasEnded(job.state) && (await table.isOver(job.id));
  const keys = isOver ? [input, result].flatMap((ref) => (ref === undefined ? [] : [ref.key])) : [];
  await removeQuietly(blobs, [resultKeyOf(job.id, lease), ...keys]);
}

const removeQuietly = (blobs: RunnerParts['blobs'], keys: string[]): Promise<void> =>
  blobs.remove(keys).catch(() => undefined);

/**
 * Writes what a step came to, and removes the documents that the job no longer needs. While the database does not answer, it is
 * written again: a step that is done again counts as one that ended its runner. If it rejects, the database may have written it, so
 * nothing else is written.
 */
async function writeCourse(
  job: StoredJob,
  lease: string,
  parts: RunnerParts,
  { happening, changes }: Stepped,
): Promise<void> {
  const { table, blobs, events, waitMsMax } = parts;
  const course = next(job, happening, Date.now(), waitMsMax);
  const { result: kept } = changes?.parts ?? job.parts ?? {};
  const hasWaitingResult = course.state === 'succeeded' && course.delivery === null && kept !== undefined;
  const isHolding = !hasEnded(course.state) || hasWaitingResult;
  const written = { ...job, ...course, ...changes, held: isHolding ? (changes?.held ?? job.held) : 0 };
  const { input, result } = written.parts ?? {};
  const unused = [
    ...(input !== undefined && (result !== undefined || !isHolding) ? [input.key] : []),
    ...(result !== undefined && !isHolding ? [result.key] : []),
  ];
  let isUncertain = false;
  const save = async (until: number): Promise<boolean> => {
    try {
      return await table.save(written, lease);
    } catch (error) {
      isUncertain = true;
      if (Date.now() > until) throw error;
      await sleep(SAVE_PAUSE_MS);
      return save(until);
    }
  };
  const removeWhatIsLeft = (): void => {
    const keys = [input, result].flatMap((ref) => (ref === undefined ? [] : [ref.key]));
    if (isUncertain) void removeUnused(parts, job, keys, parts.removalMs);
  };
  const isSaved = await save(Date.now() + SAVE_MS_MAX).catch((error: unknown) => {
    removeWhatIsLeft();
    throw error;
  });
  if (!isSaved) return isUncertain ? removeWhatIsLeft() : leave(job, lease, parts);
  events.jobStepped(job, happening, course);
  if (unused.length > 0) await removeQuietly(blobs, unused);
}
