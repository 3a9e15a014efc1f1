import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createMetrics } from '../../src/metrics/metrics.ts';

test('concurrent requests for the metrics get complete pages', async () => {
  const metrics = createMetrics('gateway', '1.2.3');
  const jobs = metrics.gauge('queue_jobs', 'Jobs in a queue', ['queue']);
  metrics.beforePage(async () => {
    jobs.reset();
    await sleep(20);
    jobs.set({ queue: 'convert' }, 7);
  });
  // Like a database that is down.
  metrics.beforePage(() => sleep(100));
  const first = metrics.page();
  await sleep(90);
  const second = metrics.page();
  for (const { text } of [await first, await second])
    expect(text).toContain('scriptorium_queue_jobs{queue="convert"} 7');
});
