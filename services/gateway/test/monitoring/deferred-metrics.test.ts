import { expect, test } from '@jest/globals';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { parsePage, seriesValue } from '@scriptorium/testing/prometheus-text';
import { type Course, type Happening, next } from '../../src/deferred/next.ts';
import { deferredCounter, watchDeferred } from '../../src/monitoring/deferred-metrics.ts';

const QUEUED: Course = {
  ...{ state: 'queued', createdAt: 0, endedAt: null, dueAt: 0, runs: 1, tries: 0 },
  ...{ error: null, result: null, delivery: { tries: 0 }, notification: { outcome: 'pending', tries: 0 } },
  ...{ progress: null, uploaded: null },
};
const ANSWERED: Happening = {
  kind: 'answered',
  result: { contentType: 'application/pdf', bytes: 1, sha256: '' },
};
const sent = (status: number): Happening => ({ kind: 'sent', status, text: '' });
const notified = (status: number): Happening => ({ kind: 'notified', status });

test('each end of a request for later counts once, and each attempt to deliver or to notify by its outcome', async () => {
  const metrics = createMetrics('gateway', '0.0.0');
  const count = deferredCounter(metrics);
  for (const outcome of ['delivered', 'retried', 'given_up'] as const) count.rowSent(outcome);
  for (const happenings of [
    [ANSWERED, sent(503), sent(200), notified(500), notified(204)],
    [ANSWERED, sent(403), notified(410)],
    [{ kind: 'input lost' } as const],
  ])
    happenings.reduce((before: Course, happening) => {
      const after = next(before, happening, 1, 60_000);
      count.deferredStep(before, happening, after);
      return after;
    }, QUEUED);
  const page = parsePage((await metrics.page()).text);
  const counted = (name: string, labels: Record<string, string>) =>
    seriesValue(page, `scriptorium_deferred_${name}_total`, labels);
  expect(['succeeded', 'failed'].map((state) => counted('ended', { state }))).toEqual([1, 2]);
  for (const what of ['result', 'row', 'notification'])
    expect(
      ['delivered', 'retried', 'given_up'].map((outcome) => counted('sends', { what, outcome })),
    ).toEqual([1, 1, 1]);
});

test('a page has the requests that wait, and lacks them while the database is down', async () => {
  const metrics = createMetrics('gateway', '0.0.0');
  let isDown = false;
  watchDeferred(metrics, async () => {
    if (isDown) throw new Error('down');
    return {
      counts: { queued: 3, succeeded: 9 },
      oldestSeconds: { run: 12, batch: 0, 'whole batch': 0, send: 0 },
    };
  });
  const read = async () => {
    const page = parsePage((await metrics.page()).text);
    const valueAt = (name: string, labels = {}) => seriesValue(page, `scriptorium_deferred_${name}`, labels);
    return [
      ...['queued', 'running', 'succeeded'].map((state) => valueAt('jobs', { state })),
      valueAt('oldest_seconds', { step: 'run' }),
    ];
  };
  expect(await read()).toEqual([3, 0, undefined, 12]);
  isDown = true;
  expect(await read()).toEqual([undefined, undefined, undefined, undefined]);
});
