import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { stringify } from 'yaml';
import { containerOf, podOf, servicesOf } from './deployments.ts';
import { CONVENTIONS, componentOf, type KubernetesObject, ofKind, render, throughKubectl } from './helm.ts';
import { validate } from './models.ts';

let objects: KubernetesObject[];
beforeAll(async () => {
  objects = await render(CONVENTIONS);
});

const deployments = () => ofKind(objects, 'Deployment');
function of(component: string): KubernetesObject {
  const found = deployments().find((deployment) => componentOf(deployment) === component);
  if (found === undefined) throw new Error(`${component} is not deployed`);
  return found;
}

describe('an operator of the chart', () => {
  testInWhole('gets objects that Kubernetes accepts as they are', async () => {
    for (const object of objects) expect(() => validate(object)).not.toThrow();
    const pods = deployments().map((deployment) => ({ ...deployment, kind: 'Deployment' }));
    const decoded = (await throughKubectl(
      pods.map((object) => stringify(object)).join('---\n'),
    )) as KubernetesObject[];
    for (const [at, deployment] of pods.entries()) {
      const names = (object: KubernetesObject) => Object.keys(podOf(object)).sort();
      expect(names(decoded[at] as KubernetesObject)).toEqual(expect.arrayContaining(names(deployment)));
    }
  });

  test('names one registry for all images, also those of others', () => {
    const images = deployments().map((deployment) => containerOf(deployment).image);
    expect(images.filter((image) => !image.startsWith('mirror.example.com/'))).toEqual([]);
    expect(images).toContain('mirror.example.com/valkey/valkey:8.1-alpine');
    expect(images).toContain('mirror.example.com/scriptorium/gateway:0.9.0');
  });

  test('labels all objects and pods, without a change of what selects them', () => {
    const own = objects.filter(({ metadata }) => !['first', 'second'].includes(metadata.name));
    for (const { metadata } of own) expect(metadata.labels).toHaveProperty(['example.com/team'], 'documents');
    for (const { spec } of deployments()) {
      expect(spec.template.metadata.labels).toHaveProperty(['example.com/team'], 'documents');
      expect(spec.selector.matchLabels).not.toHaveProperty(['example.com/team']);
    }
  });

  test('adds objects, with the names of the release in them', () => {
    const [first, second] = ['first', 'second'].map((name) =>
      objects.find(({ metadata }) => metadata.name === name),
    );
    expect(first?.data).toEqual({ release: 'docs' });
    expect(second?.data).toEqual({ gateway: 'docs-scriptorium-gateway' });
  });

  test('adds sources of the environment, and containers before and beside the service', () => {
    const { envFrom } = containerOf(of('gateway'));
    expect(envFrom).toEqual([
      { configMapRef: { name: 'proxies' } },
      { secretRef: { name: 'tokens', optional: true } },
    ]);
    for (const deployment of servicesOf(objects)) {
      const isOwn = componentOf(deployment) !== 'telemetry';
      const { containers, initContainers = [] } = podOf(deployment);
      expect(containers.slice(1).map(({ name }: { name: string }) => name)).toEqual(isOwn ? ['proxy'] : []);
      expect(initContainers.map(({ name }: { name: string }) => name)).toEqual(isOwn ? ['wait'] : []);
    }
    expect(podOf(of('redis-queue')).containers).toHaveLength(1);
  });

  test('sets the resolver, hosts, runtime and priority of all pods, and of one', () => {
    for (const deployment of deployments()) {
      const pod = podOf(deployment);
      const isConverter = componentOf(deployment) === 'converter';
      expect(pod).toMatchObject({
        hostAliases: [{ ip: '10.0.0.5', hostnames: ['postgres.example.com'] }],
        dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
        dnsPolicy: 'ClusterFirst',
        runtimeClassName: isConverter ? 'kata' : 'gvisor',
      });
      expect(pod.priorityClassName).toBe(isConverter ? undefined : 'documents');
    }
  });

  test('names the service accounts, and creates each once or none', () => {
    const used = Object.fromEntries(
      deployments().map((deployment) => [componentOf(deployment), podOf(deployment).serviceAccountName]),
    );
    expect(used).toMatchObject({
      gateway: 'docs-scriptorium-gateway',
      signer: 'vault',
      verifier: 'default',
      annotator: 'shared',
      telemetry: 'shared',
      'redis-queue': 'docs-scriptorium-redis-queue',
    });
    const created = ofKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name);
    const expected = Object.values(used).filter((name) => !['vault', 'default'].includes(name));
    expect(created.sort()).toEqual([...new Set(expected)].sort());
  });

  test('gives an Ingress several hosts, paths and certificates', () => {
    const [ingress] = ofKind(objects, 'Ingress');
    const backend = { service: { name: 'docs-scriptorium-gateway', port: { name: 'http' } } };
    expect(ingress?.spec.rules).toEqual([
      { host: 'a.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } },
      {
        host: 'b.example.com',
        http: {
          paths: [
            { path: '/documents', pathType: 'Prefix', backend },
            { path: '/v1/convert', pathType: 'Exact', backend },
          ],
        },
      },
    ]);
    expect(ingress?.spec.tls).toEqual([
      { secretName: 'a-tls', hosts: ['a.example.com'] },
      { secretName: 'b-tls', hosts: ['b.example.com'] },
    ]);
  });

  test('overrides a part of a probe, or what it does', () => {
    const { startupProbe, readinessProbe, livenessProbe } = containerOf(of('gateway'));
    expect(startupProbe.failureThreshold).toBe(90);
    expect(readinessProbe).toEqual({
      httpGet: { path: '/readyz', port: 'internal' },
      ...{ periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 7, initialDelaySeconds: 3 },
    });
    expect(livenessProbe).toEqual({
      exec: { command: ['node', 'health.mjs'] },
      ...{ periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    });
  });
});

describe('helm test', () => {
  const pod = () => objects.find(({ kind }) => kind === 'Pod');

  test('asks the gateway from a pod that the policies let do so', () => {
    const env = pod()?.spec.containers[0].env;
    expect(env[0]).toEqual({ name: 'HEALTH_URL', value: 'http://docs-scriptorium-gateway:80/v1/health' });
    expect(pod()?.metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'test' } });
    const policies = ofKind(objects, 'NetworkPolicy').map(({ metadata }) => metadata.name);
    expect(policies).toEqual(
      expect.arrayContaining(['docs-scriptorium-to-test', 'docs-scriptorium-from-test']),
    );
  });

  test.each([
    ['passes', 'healthy', 200, undefined],
    ['fails', 'degraded', 200, 1],
    ['fails', 'nothing', 503, 1],
  ])('%s if the gateway reports %s', async (_, status, code, expected) => {
    const server = createServer((_request, response) => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const [container] = pod()?.spec.containers ?? [];
    const { port } = server.address() as AddressInfo;
    const env = { PATH: process.env.PATH, HEALTH_URL: `http://127.0.0.1:${port}/v1/health`, TRIES: '1' };
    const [, ...options] = container.command;
    const run = promisify(execFile)(process.execPath, [...options, ...container.args], { env });
    const ended = await run.then(
      ({ stdout }) => ({ stdout, code: undefined }),
      (error) => error,
    );
    server.close();
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({
      code: expected,
      stdout: `${JSON.stringify({ status })}\n`,
    });
  });
});
