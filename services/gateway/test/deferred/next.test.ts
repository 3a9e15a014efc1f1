import { expect, test } from '@jest/globals';
import { few } from '@scriptorium/testing/extent';
import { randomNumbers } from '@scriptorium/testing/random';
import { hasEnded } from '../../src/deferred/job.ts';
import { begun, type Course, type Happening, next } from '../../src/deferred/next.ts';

const WAIT_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;
const result = { contentType: 'application/pdf', bytes: 1, sha256: '00' };

const fresh = (isDelivered: boolean, isNotified: boolean): Course => ({
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
    ]);
  const code = pick(['OVERLOADED', 'UNAVAILABLE', 'INTERNAL_ERROR', 'VALIDATION_ERROR'] as const);
  return pick<Happening | null>([
    null,
    { kind: 'answered', result },
    trouble,
    { kind: 'refused', error: { code, message: '' }, afterMs: pick([0, 1_000]) },
    { kind: 'input lost' },
  ]);
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
    if (random(40) === 0) job = next(job, { kind: 'canceled' }, now, WAIT_MS);
    else {
      const begins = begun(job);
      const happening =
        begins === null
          ? ({ kind: 'refused', error: { code: 'UNPROCESSABLE', message: '' } } as const)
          : happeningIn(begins, pick);
      job = begins ?? job;
      if (happening !== null) job = next(job, happening, now, WAIT_MS);
    }
    lived.push(job);
    expect(lived.length).toBeLessThan(5_000);
    // What was made is delivered, or fails to be: it is not made again.
    if (before.state === 'delivering') expect(['queued', 'running']).not.toContain(job.state);
    if (hasEnded(before.state)) expect([job.state, job.endedAt]).toEqual([before.state, before.endedAt]);
  }
  return lived;
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed);

test.each(few(seeds, 4, 20))(
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
