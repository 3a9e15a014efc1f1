import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
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

  testInWhole('has the version of the services', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
    const chart = parse(await chartFile('Chart.yaml'));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    const listed: { image: string }[] = parse(chart.annotations['artifacthub.io/images']);
    const used = [...(await render('defaults')), ...(await render('trial'))].flatMap(({ spec }) =>
      (spec?.template?.spec.containers ?? []).map(({ image }: { image: string }) => image),
    );
    expect(listed.map(({ image }) => image).sort()).toEqual([...new Set(used)].sort());
  });

  testInWhole(
    'can be packaged with the alerts and the dashboard, and the package installs like the folder',
    async () => {
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
    },
  );

  testInWhole(
    'has no symbolic link, which some tools drop, and is refused without one of its files',
    async () => {
      const entries = await readdir(CHART, { recursive: true, withFileTypes: true });
      expect(entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => name)).toEqual([]);
      const folder = await mkdtemp(join(tmpdir(), 'chart-'));
      try {
        for (const file of ['alerts.yaml', 'dashboard.json', 'redis-users.acl']) {
          const copy = join(folder, 'scriptorium');
          await cp(CHART, copy, { recursive: true });
          await rm(join(copy, 'files', file));
          const rendered = helm('template', 'docs', copy, ...valuesOf('everything'));
          await expect(rendered).rejects.toThrow(`files/${file}: the chart lacks this file`);
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );

  test('passes the files beside it to Prometheus and Grafana unchanged', async () => {
    const objects = await render('everything');
    const alerts = parse(await readFile(new URL('alerts.yaml', GRAFANA), 'utf8'));
    const dashboard = await readFile(new URL('dashboard.json', GRAFANA), 'utf8');
    expect(ofKind(objects, 'PrometheusRule').map(({ spec }) => spec)).toEqual([alerts]);
    const shown = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name.endsWith('-dashboard'));
    expect(JSON.parse(shown?.data?.['scriptorium.json'] ?? '')).toEqual(JSON.parse(dashboard));
  });

  testInWhole('lists the missing Secrets after the installation, without their content', async () => {
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
    expect(everything).toContain('scriptorium-redis-tls: tls.crt, tls.key and ca.crt');
    expect(await install('external-redis')).toContain('scriptorium-redis: the addresses');
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

/** One rendering reports all of them. */
const MISTAKES: readonly (readonly [what: string, setting: string])[] = [
  ['an unknown name', 'converter.engines=4'],
  ['a setting of another service', 'converter.settings.ANNOTATORS=4'],
  ['trust profiles beside keys', 'signing.files.trustProfiles=trust.json'],
  ['a setting that the chart sets itself', 'gateway.settings.DATABASE_URL=postgres://x'],
  ['a misspelled mode', 'converter.autoscaling.mode=kedaa'],
  ['scaling gateways by jobs', 'gateway.autoscaling.mode=keda'],
  ['scaling workers to none', 'converter.autoscaling.min=0'],
  ['less time than processes need to close', 'gateway.terminationGracePeriodSeconds=10'],
  ['a text instead of a number', 'converter.settings.ENGINES=abc'],
  ['a number out of its bounds', 'gateway.settings.TRUST_PROXY_HOPS=17'],
  ['a setting that is none of its choices', 'converter.settings.SANDBOX=none'],
  ['a setting of another form', 'gateway.settings.API_KEY_PREFIX=A'],
  ['a secret that is too short', 'secrets.values.codePepper=short'],
  ['an Ingress with the path of no host', 'gateway.ingress.hosts[0].path=/x'],
  ['memory without a unit', 'converter.sharedMemory=2000'],
  ['an invalid digest', 'gateway.image.digest=latest'],
  ['a KEDA address with a password in it', 'redis.keda.address=redis://:x@host:1'],
  ['a registry with a scheme', 'image.registry=https://registry.example.com'],
  ['no folder of images', 'image.repository='],
  ['a tag that none can have', 'image.tag=1:2'],
  ['no image', 'redis.internal.image='],
  ['no name of a Secret', 'secrets.existingSecret='],
  ['the path of a key in a Secret', 'secrets.keys.databaseUrl=a/b'],
  ['no key of a certificate', 'redis.internal.tls.caKey='],
  ['a path for a file of a Secret', 'signing.files.signingProfiles=/etc/profiles.json'],
  ['a name that no object may have', 'fullnameOverride=Docs'],
  ['a label as the name of objects', 'nameOverride=A_b'],
  ['an endpoint without a scheme', 'tracing.endpoint=collector:4318'],
  ['an unknown sampler', 'tracing.sampler=often'],
  ['an address instead of a network', 'networkPolicy.fetch.except[0]=10.0.0.1'],
  ['a default that cannot be removed', 'networkPolicy.dns.ports=null'],
  ['a host name to listen on', 'gateway.listenHost=localhost'],
  ['a probe with a text', 'gateway.probes.startup.failureThreshold=often'],
  ['a public address without a scheme', 'gateway.settings.PUBLIC_URL=docs.example.com'],
  ['a sender without an address', 'gateway.settings.MAIL_FROM=Scriptorium'],
];

describe('a mistake in the values', () => {
  let texts: Promise<string>;
  beforeAll(() => {
    texts = refusal(...MISTAKES.flatMap(([, setting]) => ['--set', setting]));
  });

  test.each(MISTAKES)('is refused with its name: %s', async (_, setting) => {
    const text = await texts;
    expect(text).toMatch(/values don't meet the specifications of the schema/);
    const path = `/${(setting.split('=')[0] ?? '').replaceAll('.', '/').replace('[0]', '/0')}`;
    const [parent, name] = [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)];
    const complaint = text
      .split('\n')
      .find(
        (line) => line.includes(`'${path}'`) || (line.includes(`'${parent}'`) && line.includes(`'${name}'`)),
      );
    expect(complaint).toBeDefined();
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
    [
      'a Redis that fills before it says so',
      ['redis.internal.queue.maxmemory=2gb'],
      'redis.internal.queue.resources.limits.memory: must be more than maxmemory',
    ],
    [
      'a roll-out that replaces no pod',
      ['defaults.strategy.maxSurge=0'],
      'gateway.strategy: maxUnavailable and maxSurge are both 0',
    ],
    [
      'a converter without a limit of memory',
      ['converter.resources=null'],
      'converter.resources.limits.memory: set a limit',
    ],
    [
      'a port that the chart sets',
      ['gateway.extraEnv[0].name=PORT', 'gateway.extraEnv[0].value=1'],
      'extraEnv: PORT is set by the chart',
    ],
    [
      'a label that selects pods',
      ['defaults.podLabels.app\\.kubernetes\\.io/name=x'],
      'app.kubernetes.io/name selects the pods',
    ],
    [
      'a variable without a name',
      ['gateway.extraEnv[0].value=x'],
      "'/gateway/extraEnv/0': missing property 'name'",
    ],
    ['an object without a kind', ['extraObjects[0]=x'], 'extraObjects[0]: must be an object of Kubernetes'],
    ['a Secret without its values', ['secrets.create=true'], 'secrets.values.databaseUrl'],
    ['a server of a trial without its Secret', ['trial.mail.enabled=true'], 'secrets.create'],
    ['domains of no registration', ['gateway.settings.REGISTRATION=domains'], 'REGISTRATION_DOMAINS'],
    ['traces without an endpoint', ['tracing.enabled=true'], 'tracing.endpoint'],
    ['an Ingress without a host', ['gateway.ingress.enabled=true'], 'gateway.ingress.hosts: set a host'],
    ['an HTTPRoute without a parent', ['gateway.httpRoute.enabled=true'], 'gateway.httpRoute.parentRefs'],
    [
      'scaling by a missing number',
      ['converter.settings.ENGINES=null', 'converter.autoscaling.mode=keda'],
      'ENGINES',
    ],
  ])('is refused with the remedy: %s', async (_, settings, remedy) => {
    expect(await refusal(...settings.flatMap((setting) => ['--set', setting]))).toContain(remedy);
  });
});
