import { ERRORS, type ErrorCode } from '@scriptorium/contracts/errors';
import {
  type Delivery,
  type Failure,
  hasEnded,
  type Notification,
  type Part,
  type Progress,
  type Result,
  type State,
} from './job.ts';

/** The part of a job on which its next state depends. Times are epoch milliseconds. */
export interface Course {
  state: State;
  createdAt: number;
  endedAt: number | null;
  /** When a runner has something to do for it. Null: never again. */
  dueAt: number | null;
  /** How often a runner began to run it. */
  runs: number;
  /** Failed attempts of the present step. */
  tries: number;
  error: Failure | null;
  result: Result | null;
  delivery: Delivery | null;
  notification: Notification | null;
  /** Only for a batch that has begun. */
  progress: Progress | null;
  /** What the addresses of `deliver.parts` got. */
  uploaded: Part[] | null;
}

/** What happened to a job. */
export type Happening =
  | { kind: 'answered'; result: Result }
  /** Whatever the code says: `isPassing`, it may go better later; `isFinal`, it must not be tried again. */
  | { kind: 'refused'; error: Failure; afterMs?: number; isPassing?: boolean; isFinal?: boolean }
  /** A batch goes on. `isKept`: it does not do these rows again, whatever happens. */
  | { kind: 'progressed'; progress: Progress; isKept: boolean }
  | { kind: 'rows ended'; progress: Progress; uploaded?: { parts: Part[]; result: Result } }
  | { kind: 'sent'; status: number; etag?: string; text: string }
  | { kind: 'not sent'; reason: string }
  /** The step could not be done for a reason of the service. */
  | { kind: 'troubled'; error: Failure }
  | { kind: 'notified'; status: number | undefined }
  | { kind: 'input lost' }
  /** The store lost a result whose request is still there. */
  | { kind: 'result lost' }
  | { kind: 'canceled' };

/** Runs that may end with their runner. A request that ends its runner each time would otherwise end all of them. */
const RUNS_MAX = 5;
/** Attempts at what may go better the next time, but is not a matter of a busy service. */
const FAILED_RUNS_MAX = 3;
export const DELIVERY_MS_MAX = 3_600_000;
const NOTIFICATION_MS_MAX = 24 * 3_600_000;
const FIRST_PAUSE_MS = 5_000;
const PAUSE_MS_MAX = 600_000;
/** From the request to the end of a batch. */
export const BATCH_MS_MAX = 24 * 3_600_000;
const BUSY = new Set<ErrorCode>(['OVERLOADED', 'UNAVAILABLE', 'CONCURRENCY_LIMIT', 'RATE_LIMIT_EXCEEDED']);
/** Statuses of a refusal that may not last (RFC 9110, RFC 8470). */
const PASSING = new Set([408, 425, 429]);
/** Whether what got such an answer may be sent again. */
export const isPassing = (status: number): boolean => status >= 500 || PASSING.has(status);

export const pauseMs = (tries: number): number => Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** tries);

/** The job after what happened to it. Pure: the same job, time and happening give the same. `waitMsMax` bounds its runs. */
export function next(job: Course, happening: Happening, now: number, waitMsMax: number): Course {
  if (hasEnded(job.state)) return afterEnd(job, happening, now);
  switch (happening.kind) {
    case 'canceled':
      return ended(job, 'canceled', now);
    case 'input lost':
      return failed(job, { code: 'INPUT_LOST', message: ERRORS.INPUT_LOST.when }, now);
    case 'result lost':
      return { ...job, state: 'queued', result: null, dueAt: now, tries: 0 };
    case 'answered': {
      const after: Course = { ...job, result: happening.result, tries: 0 };
      if (job.delivery === null) return ended(after, 'succeeded', now);
      const delivery = { ...job.delivery, since: new Date(now).toISOString() };
      return { ...after, state: 'delivering', dueAt: now, delivery };
    }
    case 'notified':
      return job;
    case 'troubled':
      if (job.state === 'delivering') return undelivered(job, happening.error.message, true, now);
      return refused(job, happening, now, waitMsMax);
    case 'refused':
      return refused(job, happening, now, waitMsMax);
    case 'sent': {
      const { status, etag, text } = happening;
      const after: Course = {
        ...job,
        delivery: triedAgain(job.delivery, { status, ...(etag !== undefined && { etag }) }),
      };
      if (status >= 200 && status < 300) return ended(after, 'succeeded', now);
      return undelivered(after, wordsOf(status, text), isPassing(status), now);
    }
    case 'progressed': {
      const { progress, isKept } = happening;
      // A runner that ends now has not ended with it each time.
      const hasGoneOn = isKept && progress.rows > (job.progress?.rows ?? 0);
      return { ...job, progress, dueAt: now, ...(hasGoneOn && { tries: 0, runs: 1 }) };
    }
    case 'rows ended': {
      const { progress, uploaded: { parts = null, result = null } = {} } = happening;
      return ended({ ...job, progress, uploaded: parts, result }, 'succeeded', now);
    }
    case 'not sent':
      return undelivered({ ...job, delivery: triedAgain(job.delivery, {}) }, happening.reason, true, now);
  }
}

/** What a store said that did not take something. */
export const wordsOf = (status: number, text: string): string => `status ${status}: ${text.slice(0, 200)}`;

/** What has ended stays as it is, but for its notification. */
function afterEnd(job: Course, happening: Happening, now: number): Course {
  if (happening.kind === 'notified') return notified(job, happening.status, now);
  return happening.kind === 'troubled' ? notified(job, undefined, now) : job;
}

/** A job that a runner takes. Null if it has begun too often. */
export function begun(job: Course): Course | null {
  if (job.state !== 'queued' && job.state !== 'running') return job;
  if (job.runs >= RUNS_MAX) return null;
  return { ...job, state: 'running', runs: job.runs + 1 };
}

/** A delivery after one more attempt, with what is known of it. */
function triedAgain(before: Delivery | null, outcome: Pick<Delivery, 'status' | 'etag'>): Delivery {
  const { since } = before ?? {};
  return { ...(since !== undefined && { since }), tries: tried(before), ...outcome };
}

const tried = (before: { tries: number } | null): number => (before?.tries ?? 0) + 1;

type Refusal = Extract<Happening, { kind: 'refused' }>;

function refused(
  job: Course,
  { error, afterMs = 0, isPassing = false, isFinal = false }: Omit<Refusal, 'kind'>,
  now: number,
  waitMsMax: number,
): Course {
  const isBusy = isPassing || BUSY.has(error.code);
  const mayHelp = ERRORS[error.code].retryable && error.code !== 'DEADLINE_EXCEEDED';
  const mayRetry = isBusy || (mayHelp && job.tries + 1 < FAILED_RUNS_MAX);
  const dueAt = now + Math.max(afterMs, pauseMs(Math.min(job.tries, 4)));
  if (isFinal || !mayRetry || dueAt > endsAt(job, waitMsMax)) return failed(job, error, now);
  // The runner did not end with it.
  return { ...job, state: 'queued', dueAt, tries: job.tries + 1, runs: Math.max(0, job.runs - 1) };
}

/** Until when it may be tried again. A batch that goes on has more time. */
const endsAt = ({ createdAt, progress }: Course, waitMsMax: number): number =>
  Math.min(Math.max(createdAt, Date.parse(progress?.at ?? '') || 0) + waitMsMax, createdAt + BATCH_MS_MAX);

function undelivered(job: Course, reason: string, isPassing: boolean, now: number): Course {
  const dueAt = now + pauseMs(job.tries);
  const since = Date.parse(job.delivery?.since ?? '') || job.createdAt;
  if (isPassing && dueAt <= since + DELIVERY_MS_MAX) return { ...job, dueAt, tries: job.tries + 1 };
  return failed(
    job,
    { code: 'DELIVERY_FAILED', message: `The result could not be delivered: ${reason}` },
    now,
  );
}

const failed = (job: Course, error: Failure, now: number): Course => ended({ ...job, error }, 'failed', now);

function ended(job: Course, state: State, now: number): Course {
  return { ...job, state, endedAt: now, tries: 0, dueAt: job.notification === null ? null : now };
}

function notified(job: Course, status: number | undefined, now: number): Course {
  const before = job.notification;
  if (before === null || before.outcome !== 'pending') return { ...job, dueAt: null };
  const base = { tries: tried(before), ...(status !== undefined && { status }) };
  if (status !== undefined && status >= 200 && status < 300)
    return { ...job, dueAt: null, notification: { ...base, outcome: 'delivered' } };
  const dueAt = now + pauseMs(job.tries);
  if (status === 410 || dueAt > (job.endedAt ?? now) + NOTIFICATION_MS_MAX)
    return { ...job, dueAt: null, notification: { ...base, outcome: 'given up' } };
  return { ...job, dueAt, tries: job.tries + 1, notification: { ...base, outcome: 'pending' } };
}
