import { describe, expect, test } from '@jest/globals';
import { FetchError } from '@scriptorium/fetching/error';
import { testInWhole } from '@scriptorium/testing/extent';
import { faultsOf, type Page, parsePage, seriesValue } from '@scriptorium/testing/prometheus-text';
import type { Fetcher } from '../../src/fetch/fetcher.ts';
import { watchDependencies } from '../../src/metrics/dependency-metrics.ts';
import { fetchCounter, reportingFetcher } from '../../src/metrics/fetch-metrics.ts';
import { createMetrics, type Metrics, startAtZero } from '../../src/metrics/metrics.ts';

const newMetrics = () => createMetrics('scribe', '1.2.3');
const pageOf = async (metrics: Metrics): Promise<Page> => parsePage((await metrics.page()).text);

describe('a page of metrics', () => {
  test('has the build, the process metrics and the content type of Prometheus', async () => {
    const metrics = newMetrics();
    const page = await pageOf(metrics);
    expect((await metrics.page()).contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(seriesValue(page, 'scriptorium_build_info', { service: 'scribe', version: '1.2.3' })).toBe(1);
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds'])
      expect(seriesValue(page, name)).toBeGreaterThan(0);
    expect(page.get('nodejs_eventloop_lag_p99_seconds')?.samples).toHaveLength(1);
  });

  test('has counters, gauges and histograms with the prefix of the product', async () => {
    const metrics = newMetrics();
    metrics.counter('letters_total', 'Letters', ['kind']).inc({ kind: 'sealed' }, 2);
    metrics.gauge('desks', 'Desks').set(7);
    const times = metrics.histogram('writing_seconds', 'Time of a letter', ['kind']);
    for (const seconds of [0.02, 3, 90]) times.observe({ kind: 'sealed' }, seconds);
    const page = await pageOf(metrics);
    expect(seriesValue(page, 'scriptorium_letters_total', { kind: 'sealed' })).toBe(2);
    expect(seriesValue(page, 'scriptorium_desks')).toBe(7);
    const upTo = (le: string) =>
      seriesValue(page, 'scriptorium_writing_seconds', { kind: 'sealed', le }, '_bucket');
    expect([upTo('0.01'), upTo('0.025'), upTo('5'), upTo('60'), upTo('+Inf')]).toEqual([0, 1, 2, 2, 3]);
    expect(faultsOf(page)).toEqual([]);
  });

  test('has counters without labels from the start, and with labels after startAtZero', async () => {
    const metrics = newMetrics();
    metrics.counter('pages_total', 'Pages');
    const letters = metrics.counter('letters_total', 'Letters', ['kind', 'place']);
    startAtZero(letters, 'kind', ['sealed', 'open'], { place: 'Rome' });
    letters.inc({ kind: 'sealed', place: 'Rome' });
    startAtZero(letters, 'kind', ['sealed'], { place: 'Rome' });
    const page = await pageOf(metrics);
    expect(seriesValue(page, 'scriptorium_pages_total')).toBe(0);
    expect(seriesValue(page, 'scriptorium_letters_total', { kind: 'sealed', place: 'Rome' })).toBe(1);
    expect(seriesValue(page, 'scriptorium_letters_total', { kind: 'open', place: 'Rome' })).toBe(0);
  });

  test('shows NaN for an unknown gauge', async () => {
    const metrics = newMetrics();
    metrics.gauge('desks', 'Desks').set(Number.NaN);
    expect((await metrics.page()).text).toMatch(/^scriptorium_desks NaN$/m);
  });

  test('is available even if one probe fails and another hangs', async () => {
    const metrics = newMetrics();
    const desks = metrics.gauge('desks', 'Desks');
    metrics.beforePage(() => Promise.reject(new Error('no light')));
    metrics.beforePage(() => {
      throw new Error('no window');
    });
    metrics.beforePage(() => new Promise(() => undefined));
    metrics.beforePage(() => desks.set(3));
    expect(seriesValue(await pageOf(metrics), 'scriptorium_desks')).toBe(3);
  });

  test('does not mix the metrics of two registries', async () => {
    newMetrics().counter('letters_total', 'Letters').inc();
    expect((await pageOf(newMetrics())).has('scriptorium_letters_total')).toBe(false);
  });

  test('has descriptions with name, type, labels and help', () => {
    const metrics = newMetrics();
    metrics.histogram('writing_seconds', 'Time of a letter', ['kind']);
    expect(metrics.described().at(-1)).toEqual({
      name: 'scriptorium_writing_seconds',
      type: 'histogram',
      labels: ['kind'],
      help: 'Time of a letter',
    });
  });
});

testInWhole('a dependency is up while its check resolves, and down if it throws or hangs', async () => {
  const metrics = newMetrics();
  let isThere = true;
  watchDependencies(metrics, {
    ink: async () => isThere || Promise.reject(new Error('spilt')),
    well: () => new Promise(() => undefined),
  });
  const upOf = async (dependency: string) =>
    seriesValue(await pageOf(metrics), 'scriptorium_dependency_up', { dependency });
  expect(await upOf('ink')).toBe(1);
  isThere = false;
  expect(await upOf('ink')).toBe(0);
  expect(await upOf('well')).toBe(0);
});

test('fetches are counted by outcome and otherwise unchanged', async () => {
  const metrics = newMetrics();
  const ends: Record<string, () => Promise<Buffer>> = {
    good: async () => Buffer.from('ink'),
    bad: () => Promise.reject(new FetchError('slow', 'private.example.com')),
    left: () => Promise.reject(new DOMException('left', 'AbortError')),
  };
  const inner: Fetcher = { fetch: (url) => ends[url]?.() ?? Promise.reject(new Error(url)) };
  const fetcher = reportingFetcher(inner, fetchCounter(metrics));
  const options = { bytesMax: 1, signal: new AbortController().signal };
  expect((await fetcher.fetch('good', options)).toString()).toBe('ink');
  await expect(fetcher.fetch('bad', options)).rejects.toMatchObject({ failure: 'slow' });
  await expect(fetcher.fetch('left', options)).rejects.toMatchObject({ name: 'AbortError' });
  const page = await pageOf(metrics);
  for (const outcome of ['fetched', 'slow', 'aborted'])
    expect(seriesValue(page, 'scriptorium_fetches_total', { outcome })).toBe(1);
  expect((await metrics.page()).text).not.toContain('private');
});

describe('the parser of pages', () => {
  const head = '# HELP a What it is\n# TYPE a counter\n';
  test.each([
    ['a missing line end', `${head}a 1`],
    ['a value before its HELP', 'a 1\n'],
    ['a missing TYPE', '# HELP a What it is\na 1\n'],
    ['a repeated series', `${head}a{x="1",y="2"} 1\na{y="2",x="1"} 1\n`],
    ['a repeated metric', `${head}a 1\n${head}`],
    ['a sample of another metric', `${head}b 1\n`],
    ['a quote in a label', `${head}a{x="1"2"} 1\n`],
    ['an invalid number', `${head}a one\n`],
  ])('rejects a page with %s', (_, text) => {
    expect(() => parsePage(text)).toThrow();
  });

  test('parses escapes, infinities and NaN', () => {
    const page = parsePage(`${head}a{x="a \\"b\\"\\n,c=\\\\"} +Inf\na{x=""} NaN\n`);
    expect(seriesValue(page, 'a', { x: 'a "b"\n,c=\\' })).toBe(Number.POSITIVE_INFINITY);
    expect(seriesValue(page, 'a', { x: '' })).toBeNaN();
    expect(faultsOf(page)).toHaveLength(2);
  });

  test('rejects an inconsistent histogram', () => {
    const lines = ['a_bucket{le="1"} 3', 'a_bucket{le="+Inf"} 2', 'a_sum 1', 'a_count 4'];
    const page = parsePage(`# HELP a Times\n# TYPE a histogram\n${lines.join('\n')}\n`);
    expect(faultsOf(page)).toEqual([
      expect.stringContaining('less than the one before'),
      expect.stringContaining('4 counted'),
    ]);
  });
});
