import { expect, test } from '@jest/globals';
import { Secret } from '@scriptorium/shared/config';
import { createMetrics } from '@scriptorium/shared/metrics/metrics';
import { connectFailingFast, disconnect } from '@scriptorium/shared/queue/connection';
import { parsePage, seriesValue } from '@scriptorium/testing/prometheus-text';
import { startRedis } from '@scriptorium/testing/redis-server';
import { watchQueues } from '../../src/monitoring/queue-metrics.ts';

const NAME = 'copying';

test('a page lists every queue, and none while Redis is down', async () => {
  const other = await startRedis();
  const failingFast = connectFailingFast(new Secret(other.url));
  await new Promise((resolve) => failingFast.once('ready', resolve));
  const metrics = createMetrics('scribe', '0.0.0');
  watchQueues(metrics, failingFast, { jobs: [NAME], others: ['mail'] });
  const page = async () => parsePage((await metrics.page()).text);
  const before = await page();
  expect(seriesValue(before, 'scriptorium_queue_oldest_seconds', { queue: 'mail' })).toBe(0);
  expect(seriesValue(before, 'scriptorium_queue_capacity', { queue: NAME })).toBe(0);
  expect(before.get('scriptorium_queue_jobs')?.samples).toHaveLength(6);
  expect(before.get('scriptorium_queue_workers')?.samples).toHaveLength(1);
  await other.kill();
  const after = await page();
  for (const name of ['jobs', 'oldest_seconds', 'workers', 'capacity'])
    expect(after.get(`scriptorium_queue_${name}`)?.samples).toEqual([]);
  await disconnect(failingFast);
  await other.stop();
});
