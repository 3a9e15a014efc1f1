import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isCollection, parse, parseDocument, visit } from 'yaml';
import { describedValues } from '../values-table.ts';
import { CHART, helm, ofKind, parseObjects, render, VALUE_SETS, valuesOf } from './helm.ts';

const GRAFANA = new URL('../../grafana/', import.meta.url);
const chartFile = (name: string) => readFile(join(CHART, name), 'utf8');

async function refusal(...args: string[]): Promise<string> {
  return render('defaults', ...args).then(
    () => 'rendered',
    (error: { stderr: string }) => error.stderr,
  );
}

describe('the chart', () => {
  test.each(VALUE_SETS)('passes the strict lint with the values `%s`', async (example) => {
    expect(await helm('lint', '--strict', CHART, ...valuesOf(example))).toContain('0 chart(s) failed');
  });

  test('has the version of the services', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
    const chart = parse(await chartFile('Chart.yaml'));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });

  test('can be packaged with the alerts and the dashboard, and the package installs like the folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chart-'));
    try {
      await helm('package', CHART, '--destination', folder);
      const { version } = parse(await chartFile('Chart.yaml'));
      const packed = join(folder, `scriptorium-${version}.tgz`);
      const rendered = await helm('template', 'docs', packed, '-n', 'documents', ...valuesOf('everything'));
      expect(parseObjects(rendered)).toEqual(await render('everything'));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('passes the files beside it to Prometheus and Grafana unchanged', async () => {
    const objects = await render('everything');
    const alerts = parse(await readFile(new URL('alerts.yaml', GRAFANA), 'utf8'));
    const dashboard = await readFile(new URL('dashboard.json', GRAFANA), 'utf8');
    expect(ofKind(objects, 'PrometheusRule').map(({ spec }) => spec)).toEqual([alerts]);
    const shown = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name.endsWith('-dashboard'));
    expect(JSON.parse(shown?.data?.['scriptorium.json'] ?? '')).toEqual(JSON.parse(dashboard));
  });

  test('lists the missing Secrets after the installation, without their content', async () => {
    const install = (example: string) =>
      helm(
        'install',
        'docs',
        CHART,
        '-n',
        'documents',
        '--dry-run=client',
        '--hide-secret',
        ...valuesOf(example),
      );
    const usual = await install('defaults');
    expect(usual).toMatch(
      /scriptorium: DATABASE_URL, SMTP_URL, CODE_PEPPER.*scriptorium-signing: signing-profiles\.json/s,
    );
    const trial = await install('trial');
    expect(trial).toContain('development key, whose signatures cannot be relied on');
    expect(trial).not.toMatch(/hidden-word|wait until these Secrets/);
    expect(usual).toContain('image.registry is empty');
    const everything = await install('everything');
    expect(everything).toContain('https://documents.example.com/');
    expect(everything).not.toContain('image.registry');
  });

  test('describes every value', async () => {
    const yaml = await chartFile('values.yaml');
    const described = describedValues(yaml);
    const leaves: string[] = [];
    visit(parseDocument(yaml), {
      Pair(_, pair, path) {
        if (isCollection(pair.value) && pair.value.items.length > 0) return;
        const above = path.flatMap((node) => ('key' in node ? [String(node.key)] : []));
        leaves.push([...above, String(pair.key)].join('.'));
      },
    });
    const silent = leaves.filter((leaf) => !described.some(({ path }) => `${leaf}.`.startsWith(`${path}.`)));
    expect(leaves.length).toBeGreaterThan(100);
    expect(silent).toEqual([]);
    expect(described.filter(({ meaning }) => meaning.length < 5)).toEqual([]);
  });
});

describe('a mistake in the values', () => {
  test.each([
    ['an unknown name', 'converter.engines=4', 'engines'],
    ['a setting of another service', 'converter.settings.ANNOTATORS=4', 'ANNOTATORS'],
    ['trust profiles beside keys', 'signing.files.trustProfiles=trust.json', 'trustProfiles'],
    ['a setting that the chart sets itself', 'gateway.settings.DATABASE_URL=postgres://x', 'DATABASE_URL'],
    ['a misspelled mode', 'converter.autoscaling.mode=kedaa', 'mode'],
    ['scaling gateways by jobs', 'gateway.autoscaling.mode=keda', 'mode'],
    ['scaling workers to none', 'converter.autoscaling.min=0', 'min'],
    [
      'less time than processes need to close',
      'gateway.terminationGracePeriodSeconds=10',
      'terminationGrace',
    ],
    ['memory without a unit', 'converter.sharedMemory=2000', 'sharedMemory'],
    ['an invalid digest', 'gateway.image.digest=latest', 'digest'],
    ['a weak password of Redis', 'redis.internal.password=abc', 'password'],
    ['a KEDA address with a password in it', 'redis.keda.address=redis://:x@host:1', 'address'],
  ])('is refused with its name: %s', async (_, setting, name) => {
    const text = await refusal('--set', setting);
    expect(text).toContain(name);
    expect(text).toMatch(/values don't meet the specifications of the schema/);
  });

  test.each([
    [
      'shared memory that leaves none for the process',
      ['converter.sharedMemory=5Gi'],
      'converter.resources.limits.memory',
    ],
    ['a maximum of pods below the minimum', ['converter.autoscaling.min=30'], 'min is more than max'],
    ['differing development keys', ['signing.developmentKey=true'], 'signer.replicas=1'],
    [
      'scaling by jobs without the address of Redis for KEDA',
      ['redis.internal.enabled=false', 'signer.autoscaling.mode=keda'],
      'redis.keda.address',
    ],
    [
      'less time to stop than requests may take',
      ['gateway.settings.DEADLINE_MS=120000'],
      'gateway.terminationGracePeriodSeconds: must be at least 205',
    ],
    [
      'less time to stop than jobs may take',
      ['gateway.settings.DEADLINE_MS=120000', 'gateway.terminationGracePeriodSeconds=300'],
      'converter.terminationGracePeriodSeconds',
    ],
    [
      'less time to stop than opens may wait for their database',
      ['telemetry.settings.DATABASE_WAIT_MS_MAX=60000'],
      'telemetry.terminationGracePeriodSeconds: must be at least 105',
    ],
    [
      'two monitors of the same metrics',
      ['monitoring.podMonitor.enabled=true', 'monitoring.serviceMonitor.enabled=true'],
      'enable only one',
    ],
    ['a Secret without its values', ['secrets.create=true'], 'secrets.values.codePepper'],
    ['traces without an endpoint', ['tracing.enabled=true'], 'tracing.endpoint'],
    ['an Ingress without a host', ['gateway.ingress.enabled=true'], 'gateway.ingress.host'],
    [
      'scaling by a missing number',
      ['converter.settings.ENGINES=null', 'converter.autoscaling.mode=keda'],
      'ENGINES',
    ],
  ])('is refused with the remedy: %s', async (_, settings, remedy) => {
    expect(await refusal(...settings.flatMap((setting) => ['--set', setting]))).toContain(remedy);
  });
});
