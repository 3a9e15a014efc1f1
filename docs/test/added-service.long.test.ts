import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { componentOf, helm, type KubernetesObject, parseObjects } from '@scriptorium/deploy/helm/test/helm';
import { parse } from 'yaml';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const CHART = 'deploy/helm/scriptorium';
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

interface Found {
  files: Record<string, string>;
  local: Record<string, string>;
  redis: string[];
  deployed: Record<string, number>;
}

let folder: string;
let found: Found;
const fileOf = (path: string): string => found.files[path] ?? '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scriptorium-service-'));
  const program = fileURLToPath(new URL('added-service.ts', import.meta.url));
  const args = ['--conditions=source', '--no-warnings', program, folder];
  const { stdout } = await run(process.execPath, args, { maxBuffer: OUTPUT_BYTES_MAX });
  found = JSON.parse(stdout) as Found;
});
afterAll(() => rm(folder, { recursive: true }));

interface Compose {
  services: Record<string, { networks?: string[]; depends_on?: object; volumes?: string[] }>;
  networks?: object;
  volumes?: object;
  secrets?: object;
}
const composeOf = (path: string): Compose => parse(fileOf(path), { merge: true, logLevel: 'silent' });

describe('a service that is added to the table', () => {
  test('is in the files for Compose, with its network, its secrets and what it waits for', () => {
    const { services, networks, volumes } = composeOf('docker-compose.yml');
    expect(services.archivist).toMatchObject({
      environment: { ANNOTATORS: expect.anything(), NODE_ENV: 'development' },
      networks: ['archivists', 'database', 'outside'],
      depends_on: { queue: {}, blobs: {}, secrets: {}, database: {} },
      mem_limit: '3g',
    });
    expect(services.queue?.networks).toContain('archivists');
    expect(services.secrets?.volumes).toContain('archivist-secrets:/secrets/archivist');
    expect(networks).toHaveProperty('archivists', { internal: true });
    expect(volumes).toHaveProperty('archivist-secrets');
    const production = composeOf('deploy/docker/compose.production.yml');
    expect(production.services).toHaveProperty('archivist.secrets');
    expect(production.secrets).toHaveProperty('archivist');
    expect(composeOf('deploy/docker/compose.redis-tls.yml').services).toHaveProperty('archivist');
  });

  test('has an image', () => {
    expect(fileOf('deploy/docker/docker-bake.hcl')).toMatch(/service = \[.*"archivist"/);
    const dockerfile = fileOf('deploy/docker/Dockerfile');
    const [, stage = ''] = /FROM base AS archivist\n([\s\S]*?)\n\n|$/.exec(dockerfile) ?? [];
    expect(stage).toMatch(/^RUN .* \\\n .*install\.sh an-archiver\nENV INTERNAL_PORT=9470\nEXPOSE 9470/);
  });

  test('starts on a developer’s machine, with its own user of Redis and only its own secrets', () => {
    expect(found.local).toMatchObject({ INTERNAL_PORT: '9470', ARCHIVIST_JOB_SECRET: expect.any(String) });
    expect(found.local.REDIS_URL).toMatch(/^\/queue\?username=archivist&/);
    expect(found.local).toHaveProperty('CODE_PEPPER');
    expect(found.local).not.toHaveProperty('SIGNER_JOB_SECRET');
  });

  test('is a user of Redis in each deployment, who reaches its own queue', () => {
    const rule = /^user archivist .* ~\{scriptorium\}:archive:\* /m;
    expect(fileOf('deploy/docker/redis-users.acl')).toMatch(rule);
    expect(fileOf(`${CHART}/files/redis-users.acl`)).toMatch(rule);
    expect(found.redis).toContain('archivist');
  });

  test('is in the documents, the settings, the metrics and the dashboard', () => {
    expect(fileOf('docs/architecture/overview.md')).toContain(
      '| archivist | Keeps what is added | An archive |',
    );
    expect(fileOf('docs/reference/settings.md')).toMatch(/^\| `ARCHIVIST_JOB_SECRET` \| gateway/m);
    expect(fileOf('docs/reference/settings.md')).toMatch(/^\| `INTERNAL_PORT` \|.*archivist \|.*9470/m);
    expect(fileOf('docs/reference/metrics.md')).toMatch(/^\| `scriptorium_jobs_total` \|.*archivist/m);
    expect(fileOf(`${CHART}/README.md`)).toContain('| `archivist.autoscaling.max` | `7` |');
    expect(fileOf('deploy/grafana/dashboard.json')).toContain('"title": "Archivist"');
    expect(found.deployed).toHaveProperty('archivists', 1);
  });

  test('is in the health of a gateway', () => {
    const { components } = JSON.parse(fileOf('docs/reference/openapi.json'));
    expect(components.schemas.Health.properties.checks.required).toContain('archivists');
  });
});

describe('the chart with that service', () => {
  let objects: KubernetesObject[];
  const named = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === `docs-scriptorium-${name}`);

  beforeAll(async () => {
    const chart = join(folder, 'chart');
    await cp(join(root, CHART), chart, { recursive: true });
    for (const [path, text] of Object.entries(found.files))
      if (path.startsWith(`${CHART}/`)) {
        const copy = join(chart, path.slice(CHART.length));
        await mkdir(dirname(copy), { recursive: true });
        await writeFile(copy, text);
      }
    const values = [
      '-f',
      join(root, 'deploy/helm/examples/keda.yaml'),
      '--set',
      'archivist.autoscaling.mode=keda',
    ];
    objects = parseObjects(await helm('template', 'docs', chart, ...values));
  });

  test('runs it, with its secrets and its own user of Redis', () => {
    const [container] = named('Deployment', 'archivist')?.spec.template.spec.containers ?? [];
    const names = (container?.env ?? []).map(({ name }: { name: string }) => name);
    expect(container.resources.requests).toEqual({ cpu: '3', memory: '1Gi' });
    expect(names).toEqual(
      expect.arrayContaining(['REDIS_URL', 'DATABASE_URL', 'CODE_PEPPER', 'ARCHIVIST_JOB_SECRET']),
    );
    expect(JSON.stringify(named('Deployment', 'redis-queue'))).toContain('REDIS_ARCHIVIST_PASSWORD');
  });

  test('scales it by the jobs of its queue', () => {
    const { maxReplicaCount, triggers } = named('ScaledObject', 'archivist')?.spec ?? {};
    expect(maxReplicaCount).toBe(7);
    expect(triggers[0].metadata.listName).toBe('{scriptorium}:archive:wait');
  });

  test('permits what it reaches, and nothing else', () => {
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    const open = policies.filter(({ spec }) =>
      spec.podSelector.matchExpressions?.some(({ values }: { values: string[] }) =>
        values.includes('archivist'),
      ),
    );
    const purposes = open.map(({ metadata }) => metadata.name.replace('docs-scriptorium-', ''));
    expect(purposes.sort()).toEqual(['dns', 'fetch', 'metrics', 'to-database', 'to-redis']);
    expect(objects.map(componentOf)).toContain('archivist');
  });
});
