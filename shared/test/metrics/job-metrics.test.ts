import { expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { parsePage, seriesValue } from '@scriptorium/testing/prometheus-text';
import { jobMetrics } from '../../src/metrics/job-metrics.ts';
import { createMetrics } from '../../src/metrics/metrics.ts';
import type { JobEvents } from '../../src/queue/job-handler.ts';

function counting(capacity = () => 2) {
  const metrics = createMetrics('scribe', '0.0.0');
  const jobs = jobMetrics(metrics);
  const passedOn: string[] = [];
  const events: JobEvents = {
    began: (id) => passedOn.push(`began ${id}`),
    answered: (id) => passedOn.push(`answered ${id}`),
    failed: (id, error) => passedOn.push(`failed ${id} ${error.code}`),
    dropped: (id, reason) => passedOn.push(`dropped ${id} ${reason}`),
    queueError: () => passedOn.push('queue error'),
  };
  return {
    jobs,
    passedOn,
    events: jobs.counted('copy', capacity, events),
    async value(name: string, labels: Record<string, string> = {}, suffix = '') {
      const page = parsePage((await metrics.page()).text);
      return seriesValue(page, `scriptorium_${name}`, { queue: 'copy', ...labels }, suffix);
    },
  };
}

test('job metrics count outcomes, waits and runs, and forward the events', async () => {
  const { events, passedOn, value } = counting();
  events.began?.('a', 1_500);
  events.began?.('b', 0);
  events.answered('a', 250);
  events.failed('b', new AppError('INVALID_FILE_FORMAT', 'no letter'));
  events.failed('c', new AppError('INTERNAL_ERROR', 'fire'));
  events.dropped('d', 'gateway gone');
  events.queueError(new Error('gone'));
  const outcomes = ['answered', 'refused', 'failed', 'gateway_gone', 'cancelled', 'deadline'];
  const counts = await Promise.all(outcomes.map((outcome) => value('jobs_total', { outcome })));
  expect(counts).toEqual([1, 1, 1, 1, 0, 0]);
  expect(await value('job_errors_total', { code: 'INTERNAL_ERROR' })).toBe(1);
  expect(await value('job_wait_seconds', {}, '_sum')).toBe(1.5);
  expect(await value('job_wait_seconds', {}, '_count')).toBe(2);
  expect(await value('job_run_seconds', {}, '_sum')).toBe(0.25);
  expect(passedOn).toEqual([
    'began a',
    'began b',
    'answered a',
    'failed b INVALID_FILE_FORMAT',
    'failed c INTERNAL_ERROR',
    'dropped d gateway gone',
    'queue error',
  ]);
});

test('job metrics report running jobs and the current capacity', async () => {
  let capacity = 2;
  const { events, value } = counting(() => capacity);
  events.began?.('a', 0);
  events.began?.('b', 0);
  // Started by another worker that was killed.
  events.failed('c', new AppError('INTERNAL_ERROR', 'fire'));
  expect(await value('jobs_running')).toBe(2);
  expect(await value('worker_capacity')).toBe(2);
  events.dropped('a', 'cancelled');
  events.answered('b', 1);
  capacity = 0;
  expect(await value('jobs_running')).toBe(0);
  expect(await value('worker_capacity')).toBe(0);
});

test('job metrics count the bytes read and made, and none for a missing blob', async () => {
  const { jobs, events, value } = counting();
  const blobs = jobs.weighed('copy', createMemoryBlobStore());
  await blobs.put('letter', Buffer.alloc(300), 60_000);
  expect((await blobs.get('letter'))?.length).toBe(300);
  expect(await blobs.get('lost')).toBeNull();
  events.made?.(40);
  expect(await value('document_bytes_total', { direction: 'out' })).toBe(40);
  expect(await value('document_bytes_total', { direction: 'in' })).toBe(300);
});
