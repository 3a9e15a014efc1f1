import { expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { randomNumbers } from '@scriptorium/testing/random';
import { BatchProgress } from '../../src/deferred/batch-progress.ts';
import { hasEnded } from '../../src/deferred/job.ts';
import type { JobPosition } from '../../src/deferred/job-secrets.ts';
import { begun, type Course, type Happening, next } from '../../src/deferred/next.ts';

const WAIT_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;
const result = { contentType: 'application/pdf', bytes: 1, sha256: '00' };

const fresh = (isDelivered: boolean, isNotified: boolean): Course => ({
  ...{ progress: null, uploaded: null },
  ...{ state: 'queued', createdAt: 0, endedAt: null, dueAt: 0, runs: 0, tries: 0 },
  ...{ error: null, result: null },
  delivery: isDelivered ? { tries: 0 } : null,
  notification: isNotified ? { outcome: 'pending', tries: 0 } : null,
});

type Random = (end: number) => number;
type Pick = <T>(values: readonly T[]) => T;

/** What the step that is due may come to, or a runner that died in it (null). */
function happeningIn(job: Course, pick: Pick): Happening | null {
  const trouble = { kind: 'troubled', error: { code: 'UNAVAILABLE', message: 'away' } } as const;
  if (hasEnded(job.state))
    return pick([null, trouble, { kind: 'notified', status: pick([200, 204, 410, 500, 404, undefined]) }]);
  if (job.state === 'delivering')
    return pick<Happening | null>([
      null,
      { kind: 'sent', status: pick([200, 201, 301, 400, 403, 408, 429, 500, 503]), text: '' },
      { kind: 'not sent', reason: 'slow' },
      trouble,
      { kind: 'input lost' },
      { kind: 'result lost' },
    ]);
  return pick<Happening | null>([
    null,
    { kind: 'answered', result },
    trouble,
    refusal(pick),
    { kind: 'input lost' },
  ]);
}

function refusal(pick: Pick): Happening {
  const code = pick(['OVERLOADED', 'UNAVAILABLE', 'INTERNAL_ERROR', 'VALIDATION_ERROR'] as const);
  const isPassing = pick([true, false]);
  return { kind: 'refused', error: { code, message: '' }, afterMs: pick([0, 1_000]), isPassing };
}

/** Runs one job through a random course to its end. Returns each state in which it was. */
function live(random: Random): Course[] {
  const pick: Pick = (values) => values[random(values.length)] as (typeof values)[number];
  let now = 0;
  let job = fresh(pick([true, false]), pick([true, false]));
  const lived = [job];
  while (job.dueAt !== null) {
    now = Math.max(now, job.dueAt) + random(10_000);
    const before = job;
    let isLost = false;
    if (random(40) === 0) job = next(job, { kind: 'canceled' }, now, WAIT_MS);
    else {
      const begins = begun(job);
      const happening =
        begins === null
          ? ({ kind: 'refused', error: { code: 'UNPROCESSABLE', message: '' } } as const)
          : happeningIn(begins, pick);
      job = begins ?? job;
      isLost = happening?.kind === 'result lost';
      if (happening !== null) job = next(job, happening, now, WAIT_MS);
    }
    lived.push(job);
    expect(lived.length).toBeLessThan(5_000);
    // What was made is delivered, or fails to be: it is not made again, unless it was lost.
    if (before.state === 'delivering' && !isLost) expect(['queued', 'running']).not.toContain(job.state);
    if (hasEnded(before.state)) expect([job.state, job.endedAt]).toEqual([before.state, before.endedAt]);
  }
  return lived;
}

const ROWS = 40;

/** A store, which has each row of a batch as often as it was sent. */
interface Store {
  sent: number[];
}

/** One run of a batch, by the classes that count its rows. Its runner may die at any point: null. */
function runRows(
  job: Course & { position?: JobPosition },
  store: Store,
  random: Random,
  now: number,
): Happening | null {
  const progress = new BatchProgress(job.progress, job.position);
  const { nextIndex, answered, at } = progress.position;
  expect(at).toBe(nextIndex * 10);
  const inWork: number[] = [];
  const keep = (): void =>
    void progress.write(async (written, position) => {
      Object.assign(job, next(job, { kind: 'progressed', progress: written, isKept: true }, now, WAIT_MS));
      job.position = { ...position, version: '' };
    });
  for (let index = nextIndex; index < ROWS || inWork.length > 0; ) {
    if (random(60) === 0) return null;
    if (random(60) === 0) {
      keep();
      return refusal((values) => values[random(values.length)] as never);
    }
    if (index < ROWS && (inWork.length === 0 || (inWork.length < 8 && random(2) === 0))) {
      progress.read(index, (index + 1) * 10);
      if (!answered.includes(index)) inWork.push(index);
      index += 1;
    } else {
      const [row = 0] = inWork.splice(random(inWork.length), 1);
      store.sent[row] = (store.sent[row] ?? 0) + 1;
      if (row % 7 === 3) progress.failed({ index: row }, { code: 'DATA_MISSING', message: '' });
      else progress.done(row);
    }
    if (random(4) === 0) keep();
  }
  return { kind: 'rows ended', progress: progress.now() };
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed);

test.each(few(seeds, 4, 8))(
  'each of a thousand jobs ends once, and its owner hears of it (seed %i)',
  (seed) => {
    const random = randomNumbers(1 + seed);
    for (let count = 0; count < 1_000; count++) {
      const lived = live(random);
      const last = lived.at(-1) as Course;
      expect(hasEnded(last.state)).toBe(true);
      expect(last.notification?.outcome).not.toBe('pending');
      expect((last.endedAt ?? 0) <= WAIT_MS + DAY_MS).toBe(true);
      expect(last.state === 'failed').toBe(last.error !== null);
      if (last.state === 'succeeded') expect(last.result).toEqual(result);
      for (const job of lived) if (!hasEnded(job.state)) expect(job.dueAt).not.toBeNull();
      const told = lived.filter(({ notification }) => notification?.outcome === 'delivered');
      for (const job of told) expect(hasEnded(job.state)).toBe(true);
    }
  },
);

test.each(few(seeds, 2, 5))(
  'each row of a hundred batches has one outcome, and goes out again only if its outcome was not written (seed %i)',
  (seed) => {
    const random = randomNumbers(1_000 + seed);
    let succeeded = 0;
    for (let count = 0; count < 100; count++) {
      const store: Store = { sent: [] };
      const job: Course & { position?: JobPosition } = fresh(false, false);
      let died = 0;
      for (let now = 0; job.dueAt !== null; now = Math.max(now, job.dueAt ?? 0) + 15_000) {
        const begins = begun(job);
        if (begins === null) break;
        Object.assign(job, begins);
        const happening = runRows(job, store, random, now);
        if (happening === null) died += 1;
        else Object.assign(job, next(job, happening, now, WAIT_MS));
      }
      if (job.state !== 'succeeded') continue;
      succeeded += 1;
      const failed = Array.from({ length: ROWS }, (_, row) => row).filter((row) => row % 7 === 3);
      expect(job.progress).toMatchObject({ rows: ROWS, done: ROWS - failed.length, failed: failed.length });
      expect(job.progress?.failures.map(({ index }) => index).sort((a, b) => a - b)).toEqual(failed);
      for (let row = 0; row < ROWS; row++) expect(store.sent[row]).toBeGreaterThanOrEqual(1);
      if (died === 0) expect(Math.max(...store.sent)).toBe(1);
    }
    expect(succeeded).toBeGreaterThan(50);
  },
);

test('a batch that goes on may be taken over again and again, but not for longer than a day', () => {
  const at = (now: number) => ({
    rows: now,
    done: now,
    failed: 0,
    at: new Date(now).toISOString(),
    failures: [],
  });
  let job = fresh(false, false);
  for (let hour = 1; hour < 23; hour++) {
    job = begun(job) ?? job;
    job = next(
      job,
      { kind: 'progressed', progress: at(hour * WAIT_MS), isKept: true },
      hour * WAIT_MS,
      WAIT_MS,
    );
    expect([job.state, job.runs, job.dueAt]).toEqual(['running', 1, hour * WAIT_MS]);
  }
  const busy = { kind: 'refused', error: { code: 'OVERLOADED', message: '' } } as const;
  expect(next(job, busy, 22.5 * WAIT_MS, WAIT_MS).state).toBe('queued');
  job = next(job, { kind: 'progressed', progress: at(DAY_MS), isKept: true }, DAY_MS, WAIT_MS);
  expect(next(job, busy, DAY_MS, WAIT_MS).state).toBe('failed');
});

test('a busy service is asked again until the time of the job has passed, and a wrong request is not', () => {
  const busy = { kind: 'refused', error: { code: 'OVERLOADED', message: 'busy' } } as const;
  let job = fresh(false, false);
  let tries = 0;
  for (; !hasEnded(job.state); tries++) job = next(job, busy, job.dueAt ?? 0, WAIT_MS);
  expect([tries > 30, job.state, job.error?.code, (job.endedAt ?? 0) > WAIT_MS - 200_000]).toEqual([
    true,
    'failed',
    'OVERLOADED',
    true,
  ]);
  const wrong = { kind: 'refused', error: { code: 'VALIDATION_ERROR', message: '' } } as const;
  expect(next(fresh(false, false), wrong, 5, WAIT_MS)).toMatchObject({
    state: 'failed',
    endedAt: 5,
    dueAt: null,
  });
});

test('a request that ends its runner each time is given up', () => {
  let job: Course | null = fresh(false, true);
  let runs = 0;
  for (; job !== null; runs++) job = begun(job);
  expect(runs).toBe(6);
});

test('a batch that ends its runner each time ends, unless rows had an outcome in between', () => {
  const runs = (rowsAfter: (run: number) => number): number => {
    let job: Course = fresh(false, false);
    for (let run = 1; run <= 20; run++) {
      const begins = begun(job);
      if (begins === null) return run - 1;
      const rows = rowsAfter(run);
      const progress = { rows, done: rows, failed: 0, at: new Date(0).toISOString(), failures: [] };
      job = next(begins, { kind: 'progressed', progress, isKept: true }, 0, WAIT_MS);
    }
    return 20;
  };
  expect(runs(() => 0)).toBe(5);
  expect(runs((run) => run)).toBe(20);
});

test('a batch that fails by the service each time ends, though it is written each time', () => {
  let job: Course = fresh(false, false);
  const progress = { rows: 0, done: 0, failed: 0, at: new Date(0).toISOString(), failures: [] };
  const error = { code: 'INTERNAL_ERROR', message: '' } as const;
  for (let run = 1; run <= 3; run++) {
    expect(job.state).toBe('queued');
    job = next(begun(job) ?? job, { kind: 'progressed', progress, isKept: true }, 0, WAIT_MS);
    job = next(job, { kind: 'refused', error }, 0, WAIT_MS);
  }
  expect(job.state).toBe('failed');
});
