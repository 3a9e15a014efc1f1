import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { faultsOf, seriesValue } from '@scriptorium/testing/prometheus-text';
import { answerOf, expectWhole, linesOf, rowsOf, stream } from '../rigs/batch-rig.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

const CONVERT = { route: '/v1/convert' };
const DOCUMENT = docxWith(['Hello']);

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    KEY_CONCURRENCY_MAX: '2',
    REGISTRATIONS_PER_HOUR_MAX: '2',
    SIGNING_KEY_READS_PER_HOUR_MAX: '1',
    FETCH: 'off',
    BYTES_IN_FLIGHT_MAX: '100000000',
  });
});
afterAll(() => rig.close());

/** Returns the current value of a metric, or 0 if it has not been counted. */
const value = async (name: string, labels: Record<string, string> = {}): Promise<number> =>
  seriesValue(await rig.metrics(), `scriptorium_${name}`, labels) ?? 0;

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('the expected value did not appear');
}

test('the metrics count waiting requests in flight, in the queue and in the held bytes, and then reset', async () => {
  const { key } = await rig.newKey();
  // The first request of a key has the highest priority.
  const first = { queue: 'convert', state: 'wait' };
  const second = { queue: 'convert', state: 'prioritized' };
  const asked = [rig.post(key, DOCUMENT)];
  await until(async () => (await value('queue_jobs', first)) === 1);
  asked.push(rig.post(key, DOCUMENT));
  await until(async () => (await value('queue_jobs', second)) === 1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await value('http_requests_in_flight')).toBe(2);
  expect(await value('held_bytes')).toBeGreaterThanOrEqual(2 * DOCUMENT.length);
  expect(await value('held_bytes_max')).toBe(100_000_000);
  expect(await value('queue_oldest_seconds', { queue: 'convert' })).toBeGreaterThanOrEqual(0.3);
  expect(await value('queue_capacity', { queue: 'convert' })).toBe(0);

  const tooMany = await rig.post(key, DOCUMENT);
  expect(tooMany.status).toBe(429);
  expect(await value('rate_limited_total', { limit: 'key_concurrency', ...CONVERT })).toBe(1);

  const stop = await rig.convertWith(async (bytes) => bytes);
  for (const answer of await Promise.all(asked)) {
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
  }
  await stop();
  expect(await value('http_requests_total', { method: 'POST', status: '200', ...CONVERT })).toBe(2);
  await until(async () => (await value('http_requests_in_flight')) === 0);
  expect(await value('held_bytes')).toBe(0);
  expect(await value('queue_jobs', first)).toBe(0);
  expect(await value('queue_jobs', second)).toBe(0);
  expect(await value('queue_oldest_seconds', { queue: 'convert' })).toBe(0);
});

test('the metrics count a request that has waited too long', async () => {
  const hasty = await startRig({ QUEUE_WAIT_MS_MAX: '100' });
  const { key } = await hasty.newKey();
  expect((await hasty.post(key, DOCUMENT)).status).toBe(503);
  const page = await hasty.metrics();
  const errors = { code: 'OVERLOADED', ...CONVERT };
  expect(seriesValue(page, 'scriptorium_http_errors_total', errors)).toBe(1);
  const requests = { method: 'POST', status: '503', ...CONVERT };
  expect(seriesValue(page, 'scriptorium_http_requests_total', requests)).toBe(1);
  await hasty.close();
});

test('the metrics count the rows of batches by their outcome, and ways that differ', async () => {
  const { key } = await rig.newKey();
  const stopFilling = rig.fillRowsWith(async ({ json }) => Buffer.from(JSON.stringify(json)));
  const stopConverting = rig.convertRowsWith(() => 'different');
  const rows = [...rowsOf(4), { data: 5, unknown: true }];
  const lines = await answerOf(await stream(rig, key, linesOf({}, rows), { query: '?to=pdf' }));
  await Promise.all([stopFilling(), stopConverting()]);
  expectWhole(lines, 5, 1);
  expect(await value('batch_rows_total', { outcome: 'done' })).toBe(4);
  expect(await value('batch_rows_total', { outcome: 'failed' })).toBe(1);
  expect(await value('batch_ways_differ_total')).toBe(1);
});

test('the metrics count workers with notices and their capacity', async () => {
  const stop = await rig.convertWith(async (bytes) => bytes, 5);
  const workers = { queue: 'convert' };
  await until(async () => (await value('queue_workers', workers)) === 1);
  expect(await value('queue_capacity', workers)).toBe(5);
  await stop();
  await until(async () => (await value('queue_workers', workers)) === 0);
});

test('the metrics count a caller who disconnects, but not as an answered request', async () => {
  const { key } = await rig.newKey();
  const answers = async () =>
    (await rig.metrics())
      .get('scriptorium_http_requests_total')
      ?.samples.filter(({ labels }) => labels.route === CONVERT.route)
      .reduce((sum, sample) => sum + sample.value, 0);
  const before = await answers();
  const left = new AbortController();
  const asked = rig.post(key, DOCUMENT, { signal: left.signal });
  await until(async () => (await rig.waiting('convert')) === 1);
  left.abort();
  await expect(asked).rejects.toThrow();
  await until(async () => (await value('http_callers_left_total', CONVERT)) === 1);
  expect(await answers()).toBe(before);
  expect(await value('http_requests_in_flight')).toBe(0);
});

test('the metrics count rate-limited clients without a key by route', async () => {
  const register = () => fetch(`${rig.url}/v1/auth/register?email=metrics@example.com`);
  const statuses: number[] = [];
  for (let i = 0; i < 3; i++) statuses.push((await register()).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect(await value('rate_limited_total', { limit: 'client_requests', route: '/v1/auth/register' })).toBe(1);
});

test('the metrics count fetches by outcome, without their URLs', async () => {
  const { key } = await rig.newKey();
  const document = { url: 'https://files.private.example.com/letter.docx' };
  const answer = await rig.postJson(key, '/v1/annotate', { document, fields: [] });
  expect(answer.status).toBe(400);
  expect(await value('fetches_total', { outcome: 'off' })).toBe(1);
  const labels = [...(await rig.metrics()).values()].flatMap(({ samples }) =>
    samples.flatMap((sample) => Object.values(sample.labels)),
  );
  expect(labels.filter((label) => label.includes('private'))).toEqual([]);
});

test('the metrics have one series for all requests without a route', async () => {
  const before = (await rig.metrics()).get('scriptorium_http_requests_total')?.samples.length ?? 0;
  for (let i = 0; i < 5; i++) await fetch(`${rig.url}/v1/nothing-${i}/here?number=${i}`);
  expect(await value('http_requests_total', { route: 'none', method: 'GET', status: '404' })).toBe(5);
  const after = (await rig.metrics()).get('scriptorium_http_requests_total')?.samples.length ?? 0;
  expect(after - before).toBe(1);
  await fetch(`${rig.url}/v1/convert`, { method: 'PUT' });
  expect(await value('http_errors_total', { route: 'none', code: 'METHOD_NOT_ALLOWED' })).toBe(1);
});

test('the metrics count mails and revoked keys', async () => {
  await until(async () => (await value('mails_total', { outcome: 'sent' })) >= 1);
  const { key, id } = await rig.newKey();
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${rig.url}/v1/auth/keys/${id}`, { method: 'DELETE', headers });
  expect(answer.status).toBe(204);
  expect(await value('api_keys_total', { event: 'revoked' })).toBe(1);
  expect(faultsOf(await rig.metrics())).toEqual([]);
});

test('the metrics report that Redis is down, and count no retried mail', async () => {
  await rig.redis.stop();
  await until(async () => (await value('dependency_up', { dependency: 'queue' })) === 0);
  expect(await value('dependency_up', { dependency: 'database' })).toBe(1);
  expect(await value('mails_total', { outcome: 'retried' })).toBe(0);
  expect((await rig.metrics()).get('scriptorium_queue_jobs')?.samples).toEqual([]);
  await rig.redis.start();
  await until(async () => (await value('dependency_up', { dependency: 'queue' })) === 1);
});
