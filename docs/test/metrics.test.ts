import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ACCESS } from '@scriptorium/contracts/access';
import { SERVICE_NAMES, type ServiceName } from '@scriptorium/contracts/services';
import {
  KEYS,
  type Observed,
  OPENS,
  OPERATIONS,
  observe,
  REQUESTS_MAX,
  sendTraffic,
} from '@scriptorium/e2e/observed';
import { until } from '@scriptorium/e2e/service';
import { faultsOf, type Page, seriesValue } from '@scriptorium/testing/prometheus-text';
import { describedMetrics } from '../metric-tables.ts';
import { readAlerts, readPanels } from './operator-files.ts';
import { labelsInLegend, labelsInTexts, mistakesIn } from './promql.ts';

let observed: Observed;
let pages: Record<ServiceName, Page>;
let texts: string[];

beforeAll(async () => {
  observed = await observe();
  await sendTraffic(observed);
  const taken = SERVICE_NAMES.map(async (name) => [name, await observed.page(name)] as const);
  pages = Object.fromEntries(await Promise.all(taken)) as Record<ServiceName, Page>;
  texts = await Promise.all(
    SERVICE_NAMES.map(async (name) => (await fetch(`${observed.internal[name]}/metrics`)).text()),
  );
}, 240_000);
afterAll(() => observed?.close());

/** Every value of a metric, by the values of its labels. */
function valuesOf(name: ServiceName, metric: string, labels: string[]): Record<string, number> {
  const samples = pages[name].get(metric)?.samples ?? [];
  return Object.fromEntries(
    samples.map(({ labels: told, value }) => [labels.map((label) => told[label]).join(' '), value]),
  );
}

/** Asked all the time while others wait for the gateway to be ready. */
const PROBES = ['/readyz', '/v1/health'];
const counts = (page: Page, metric: string, labels: Record<string, string>): number | undefined =>
  seriesValue(page, metric, labels, '_count');

describe('The pages of metrics', () => {
  test('are true to the text format, and their histograms add up', () => {
    for (const name of SERVICE_NAMES) {
      expect(pages[name].size).toBeGreaterThan(30);
      expect(faultsOf(pages[name])).toEqual([]);
    }
  });

  test('hold what docs/reference/metrics.md says of each service, and nothing else of ours', () => {
    for (const [name, described] of describedMetrics()) {
      const ours = [...pages[name as ServiceName].values()].filter((family) =>
        family.name.startsWith('scriptorium_'),
      );
      const told = ours.map((family) => [family.name, family.type, family.help]);
      expect(told.sort()).toEqual(described.map((metric) => [metric.name, metric.type, metric.help]).sort());
    }
  });

  test('say what runs', () => {
    for (const name of SERVICE_NAMES)
      expect(valuesOf(name, 'scriptorium_build_info', ['service', 'version'])).toEqual({
        [`${name} 0.9.0`]: 1,
      });
  });

  test('have nothing on them that a caller sent', () => {
    expect(observed.callersOwn.length).toBeGreaterThan(KEYS);
    for (const own of observed.callersOwn)
      expect(texts.filter((text) => text.toLowerCase().includes(own.toLowerCase()))).toEqual([]);
  });
});

describe('A gateway counts', () => {
  test('each answer by route, method and status', () => {
    const told = Object.entries(
      valuesOf('gateway', 'scriptorium_http_requests_total', ['method', 'route', 'status']),
    );
    const asked = told.filter(([answer]) => !PROBES.some((route) => answer.includes(` ${route} `)));
    expect(Object.fromEntries(asked)).toEqual(Object.fromEntries(observed.answered));
    expect(observed.answered.get('POST /v1/convert 200')).toBe(1);
    expect(observed.answered.get('POST /v1/convert 400')).toBe(1);
    expect(observed.answered.get('GET none 404')).toBe(1);
  });

  test('the time of each answer, the callers who left, and the codes of the refusals', () => {
    const { gateway } = pages;
    const route = '/v1/convert';
    const duration = 'scriptorium_http_request_duration_seconds';
    expect(counts(gateway, duration, { route, method: 'POST' })).toBe(2);
    expect(valuesOf('gateway', 'scriptorium_http_callers_left_total', ['route'])).toEqual({ [route]: 1 });
    expect(valuesOf('gateway', 'scriptorium_http_errors_total', ['route', 'code'])).toMatchObject({
      '/v1/convert INVALID_FILE_FORMAT': 1,
      '/v1/annotate DOCUMENT_FETCH_FAILED': 1,
      '/v1/usage AUTHENTICATION_ERROR': 1,
      '/v1/auth/keys RATE_LIMIT_EXCEEDED': 1,
      'none NOT_FOUND': 1,
    });
  });

  test('what a key sent too many of, and URLs that it fetched or not', () => {
    expect(observed.answered.get('GET /v1/auth/keys 200')).toBe(REQUESTS_MAX + 1);
    expect(valuesOf('gateway', 'scriptorium_rate_limited_total', ['limit', 'route'])).toEqual({
      'key_requests /v1/auth/keys': 1,
    });
    expect(valuesOf('gateway', 'scriptorium_fetches_total', ['outcome'])).toEqual({ refused: 1 });
  });

  test('mails and keys, those that there were none of as 0', () => {
    expect(valuesOf('gateway', 'scriptorium_mails_total', ['outcome'])).toEqual({
      sent: 2 * KEYS,
      retried: 0,
      given_up: 0,
      held_back: 0,
      stopped: 0,
    });
    expect(valuesOf('gateway', 'scriptorium_api_keys_total', ['event'])).toEqual({
      issued: KEYS,
      ...{ revoked: 1, trial: 0 },
    });
    expect(seriesValue(pages.gateway, 'scriptorium_usage_operations_lost_total')).toBe(0);
  });

  test('bytes on the wire, and those that it holds', () => {
    const [{ gateway }, signing] = [pages, { route: '/v1/sign' }];
    expect(seriesValue(gateway, 'scriptorium_http_request_bytes_total', signing)).toBeGreaterThan(1_000);
    expect(seriesValue(gateway, 'scriptorium_http_response_bytes_total', signing)).toBeGreaterThan(10_000);
    expect(seriesValue(gateway, 'scriptorium_held_bytes')).toBe(0);
    expect(seriesValue(gateway, 'scriptorium_held_bytes_max')).toBe(512 * 1024 ** 2);
  });

  test('the jobs and workers of every queue, and whether its servers are there', () => {
    const queues = ACCESS.jobs.map(({ name }) => name);
    const perQueue = (value: number) => Object.fromEntries(queues.map((queue) => [queue, value]));
    expect(valuesOf('gateway', 'scriptorium_queue_workers', ['queue'])).toEqual(perQueue(1));
    const capacities = valuesOf('gateway', 'scriptorium_queue_capacity', ['queue']);
    expect(capacities).toEqual({ ...perQueue(1), 'signing-key': capacities['signing-key'] });
    expect(capacities['signing-key']).toBeGreaterThan(0);
    const ages = valuesOf('gateway', 'scriptorium_queue_oldest_seconds', ['queue']);
    expect(ages).toEqual({ ...perQueue(0), mail: 0 });
    const jobs = valuesOf('gateway', 'scriptorium_queue_jobs', ['queue', 'state']);
    expect(Object.keys(jobs)).toHaveLength(3 * (queues.length + 1));
    expect(valuesOf('gateway', 'scriptorium_dependency_up', ['dependency'])).toEqual({
      queue: 1,
      store: 1,
      database: 1,
    });
  });
});

describe('A worker counts', () => {
  const outcomes = (name: ServiceName) => {
    const all = Object.entries(valuesOf(name, 'scriptorium_jobs_total', ['queue', 'outcome']));
    return Object.fromEntries(all.filter(([, value]) => value > 0));
  };

  test('its jobs by outcome, each step of a request in its own queue', () => {
    expect(outcomes('converter')).toEqual({
      'convert answered': 3,
      'convert refused': 1,
      'convert cancelled': 1,
    });
    const annotated = { 'annotate answered': 1, 'generate answered': 1, 'inspect answered': 1 };
    expect(outcomes('annotator')).toEqual(annotated);
    expect(outcomes('signer')).toEqual({ 'sign answered': 1, 'signing-key answered': 1 });
    expect(outcomes('verifier')).toEqual({ 'verify answered': 1 });
    expect(valuesOf('converter', 'scriptorium_job_errors_total', ['queue', 'code'])).toEqual({
      'convert INVALID_FILE_FORMAT': 1,
    });
  });

  test('the waits of those it began and the runs of those it answered, and has none in work any more', () => {
    const { converter } = pages;
    const queue = { queue: 'convert' };
    expect(counts(converter, 'scriptorium_job_wait_seconds', queue)).toBe(5);
    expect(counts(converter, 'scriptorium_job_run_seconds', queue)).toBe(3);
    expect(seriesValue(converter, 'scriptorium_jobs_running', queue)).toBe(0);
    expect(seriesValue(converter, 'scriptorium_worker_capacity', queue)).toBe(1);
    const bytes = (name: ServiceName, queue: string, direction: string) =>
      seriesValue(pages[name], 'scriptorium_document_bytes_total', { queue, direction });
    expect(bytes('verifier', 'verify', 'in')).toBeGreaterThanOrEqual(observed.signedBytes);
    expect(bytes('signer', 'sign', 'out')).toBeGreaterThanOrEqual(observed.signedBytes);
    expect(seriesValue(pages.verifier, 'scriptorium_service_certificate_known')).toBe(1);
  });

  test('pages, stages, memory and ends of its engines', () => {
    const { converter } = pages;
    const engine = 'libreofficekit';
    expect(valuesOf('converter', 'scriptorium_pages_total', ['from', 'to'])).toEqual({ 'docx pdf': 3 });
    for (const stage of ['wait', 'load', 'export'])
      expect(counts(converter, 'scriptorium_conversion_stage_seconds', { stage })).toBe(3);
    expect(counts(converter, 'scriptorium_conversion_stage_seconds', { stage: 'sanitize' })).toBe(4);
    expect(seriesValue(converter, 'scriptorium_engine_memory_bytes')).toBeGreaterThan(20 * 1024 ** 2);
    expect(seriesValue(converter, 'scriptorium_engine_starts_total', { engine })).toBe(2);
    expect(valuesOf('converter', 'scriptorium_engine_restarts_total', ['engine', 'reason'])).toMatchObject({
      [`${engine} killed`]: 1,
      [`${engine} exited`]: 0,
    });
    expect(valuesOf('converter', 'scriptorium_engine_failures_total', ['engine', 'kind'])).toMatchObject({
      [`${engine} aborted`]: 1,
      [`${engine} crashed`]: 0,
    });
    expect(seriesValue(converter, 'scriptorium_sandbox_enforced')).toBe(1);
  });
});

test('A collector counts what it accepted, and a consumer what it counted', () => {
  const { telemetry } = pages;
  expect(seriesValue(telemetry, 'scriptorium_telemetry_events_total')).toBe(OPENS);
  expect(seriesValue(telemetry, 'scriptorium_telemetry_counted_total')).toBe(OPENS + OPERATIONS);
  expect(seriesValue(telemetry, 'scriptorium_telemetry_requests_total', { status: '202' })).toBe(1);
  expect(seriesValue(telemetry, 'scriptorium_telemetry_inbox_oldest_seconds')).toBe(0);
  expect(seriesValue(telemetry, 'scriptorium_telemetry_held_bytes')).toBe(0);
  expect(seriesValue(telemetry, 'scriptorium_telemetry_write_failures_total')).toBe(0);
  expect(seriesValue(telemetry, 'scriptorium_telemetry_set_aside_total')).toBe(0);
});

describe('What is asked of the pages', () => {
  const mistakes = (expression: string, mentioned?: string[]) =>
    mistakesIn(expression, Object.values(pages), mentioned);

  test('by the dashboard is on them', async () => {
    const panels = await readPanels();
    expect(panels.length).toBeGreaterThan(40);
    for (const { title, targets = [] } of panels) {
      expect({ title, queries: targets.length }).not.toEqual({ title, queries: 0 });
      const found = targets.flatMap(({ expr, legendFormat }) => mistakes(expr, labelsInLegend(legendFormat)));
      expect({ title, found }).toEqual({ title, found: [] });
    }
  });

  test('by the alerts is on them', async () => {
    const alerts = await readAlerts();
    expect(alerts.length).toBeGreaterThan(15);
    for (const { alert, expr, annotations } of alerts) {
      const found = mistakes(expr, labelsInTexts(annotations));
      expect({ alert, found }).toEqual({ alert, found: [] });
    }
  });

  test.each([
    ['what cannot be read', 'sum(rate(scriptorium_jobs_total[5m])', 'at '],
    ['a metric that nobody counts', 'scriptorium_jobs', 'nobody counts'],
    ['a label that it has not', 'sum by (kind) (scriptorium_jobs_total)', 'no label kind'],
    ['a value that it has not', 'scriptorium_mails_total{outcome="given up"}', 'has no outcome'],
    ['a code that does not exist', 'scriptorium_http_errors_total{code="BUSY"}', 'has no code'],
  ])('is seen to be a mistake where it is %s', (_, expression, mistake) => {
    expect(mistakes(expression)).toEqual([expect.stringContaining(mistake)]);
  });
});

/** Status and body of a probe of the inside. */
async function probe(name: ServiceName, path: 'livez' | 'readyz') {
  const answer = await fetch(`${observed.internal[name]}/${path}`);
  return { code: answer.status, ...((await answer.json()) as { status: string; checks?: object }) };
}

describe('The internal port', () => {
  test('says that each service is ready', async () => {
    for (const name of SERVICE_NAMES)
      expect(await probe(name, 'readyz')).toMatchObject({ code: 200, status: 'ok' });
  });

  test('says while Redis is away who is not ready and why, and that all live', async () => {
    await observed.service.redis.stop();
    const away = { code: 503, status: 'unavailable' };
    const servers = { queue: 'down', store: 'down' };
    await until('the workers notice', async () => (await probe('signer', 'readyz')).code === 503);
    const others = { gateway: { keys: 'up' }, converter: { engine: 'up', fitness: 'up' } };
    for (const name of ['gateway', 'converter', 'annotator', 'signer', 'verifier'] as const) {
      const checks = { ...servers, ...(name in others && others[name as keyof typeof others]) };
      expect(await probe(name, 'readyz')).toEqual({ ...away, checks });
    }
    expect(await probe('telemetry', 'readyz')).toMatchObject({ code: 200 });
    for (const name of SERVICE_NAMES) expect(await probe(name, 'livez')).toEqual({ code: 200, status: 'ok' });
    const gateway = await observed.page('gateway');
    expect(seriesValue(gateway, 'scriptorium_dependency_up', { dependency: 'queue' })).toBe(0);
    expect(seriesValue(gateway, 'scriptorium_dependency_up', { dependency: 'database' })).toBe(1);
    expect(gateway.get('scriptorium_queue_jobs')?.samples).toEqual([]);
    expect(seriesValue(gateway, 'scriptorium_mails_total', { outcome: 'retried' })).toBe(0);
    await observed.service.redis.start();
    for (const name of SERVICE_NAMES)
      await until(`${name} is ready again`, async () => (await probe(name, 'readyz')).code === 200);
  });

  test('says of one that was asked to stop that it is closing, until it has gone', async () => {
    const ended = observed.processes.gateway.end('SIGTERM');
    await until('it is closing', async () => (await probe('gateway', 'readyz')).status === 'closing');
    expect(await probe('gateway', 'readyz')).toMatchObject({ code: 503, checks: { queue: 'up' } });
    expect(await probe('gateway', 'livez')).toMatchObject({ code: 200 });
    expect((await observed.page('gateway')).size).toBeGreaterThan(30);
    expect(await ended).toBe(0);
  });
});
