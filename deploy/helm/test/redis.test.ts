import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { misconfigurations } from '@scriptorium/gateway/backends/redis-configuration';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect } from '@scriptorium/shared/queue/connection';
import { testInWhole } from '@scriptorium/testing/extent';
import { findRedisBinary } from '@scriptorium/testing/redis-server';
import { freePort } from '@scriptorium/testing/server-process';
import { Redis } from 'ioredis';
import { containerOf, servicesOf, type Variable } from './deployments.ts';
import { componentOf, type KubernetesObject, ofKind, render } from './helm.ts';

const TLS_SECRET = 'redis.internal.tls.existingSecret=redis-tls';
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const passwordOf = (user: string) => `correctHorse${user}`;
const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function named(objects: readonly KubernetesObject[], kind: string, component: string): KubernetesObject {
  const found = ofKind(objects, kind).find((object) => componentOf(object) === component);
  if (found === undefined) throw new Error(`no ${kind} of ${component}`);
  return found;
}

/** Runs the container's own command with the chart's own file, in a folder that replaces its file system. */
async function startAsInThePod(
  role: string,
  objects: readonly KubernetesObject[],
): Promise<{ port: number; folder: string }> {
  const binary = findRedisBinary();
  if (binary === undefined) throw new Error('No redis-server found; on Debian install redis-tools.');
  const folder = await mkdtemp(join(tmpdir(), 'chart-redis-'));
  undo.push(() => rm(folder, { recursive: true }));
  await symlink(binary, join(folder, 'redis-server'));
  const port = await freePort();
  const settings = named(objects, 'ConfigMap', `redis-${role}`).data?.['redis.conf'] ?? '';
  // Only the address differs from the chart: tests stay on loopback.
  const here = settings.replace('bind * -::*', 'bind 127.0.0.1').replace('port 6379', `port ${port}`);
  await writeFile(
    join(folder, 'redis.conf'),
    here.replace('/tmp', folder).replaceAll('/etc/scriptorium/tls', folder),
  );
  execFileSync(join(ROOT, 'deploy/docker/make-redis-certificates.sh'), [folder]);
  const users = named(objects, 'ConfigMap', `redis-${role}`).data?.['users.acl'] ?? '';
  await writeFile(join(folder, 'users.acl'), users);
  const [container] = named(objects, 'Deployment', `redis-${role}`).spec.template.spec.containers;
  const script: string = container.args[0]
    .replaceAll('/tmp/', `${folder}/running-`)
    .replaceAll('/etc/scriptorium/redis', folder);
  const [program, ...options] = container.command as [string, ...string[]];
  const passwords = container.env.map(({ name, valueFrom }: Variable) => {
    const user = name === 'REDISCLI_AUTH' ? 'default' : name.replace('PASSWORD_', '');
    const part = user === 'default' ? '' : `_${user.toUpperCase()}`;
    expect(valueFrom?.secretKeyRef).toMatchObject({ name: 'scriptorium', key: `REDIS${part}_PASSWORD` });
    return [name, passwordOf(user)];
  });
  const server = spawn(program, [...options, script], {
    env: { PATH: `${folder}:/usr/bin:/bin`, ...Object.fromEntries(passwords) },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => server.once('close', resolve));
  undo.push(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  return { port, folder };
}

async function connection(port: number, user: string) {
  const redis = connectPatient(new Secret(`redis://${user}:${passwordOf(user)}@127.0.0.1:${port}`));
  undo.push(() => disconnect(redis));
  return redis;
}

describe('the Redis of a release', () => {
  test.each(['queue', 'blob'])('is accepted by gateways: %s', async (role) => {
    const { port } = await startAsInThePod(role, await render('defaults'));
    const redis = await connection(port, 'gateway');
    expect(await misconfigurations(redis)).toEqual([]);
    const [, maxmemory] = (await redis.config('GET', 'maxmemory')) as [string, string];
    expect(Number(maxmemory)).toBeGreaterThan(256 * 1024 ** 2);
  });

  testInWhole('speaks TLS only if it has a certificate, which services, probes and KEDA check', async () => {
    const objects = await render('everything');
    const { port, folder } = await startAsInThePod('queue', objects);
    const gateway = containerOf(named(objects, 'Deployment', 'gateway'));
    const textOf = (name: string) =>
      (gateway.env as Variable[]).find((one) => one.name === name)?.value ?? '';
    expect(textOf('REDIS_CA_FILE')).toBe('/etc/scriptorium/redis/ca.crt');
    const address = textOf('REDIS_URL')
      .replace('$(REDIS_PASSWORD)', passwordOf('gateway'))
      .replace('docs-scriptorium-redis-queue:6379', `127.0.0.1:${port}`);
    const redis = connectPatient(new Secret(address), { REDIS_CA_FILE: join(folder, 'ca.crt') });
    undo.push(() => disconnect(redis));
    expect(await misconfigurations(redis)).toEqual([]);
    const [container] = named(objects, 'Deployment', 'redis-queue').spec.template.spec.containers;
    for (const probe of ['startupProbe', 'readinessProbe']) {
      const [program, ...words] = container[probe].exec.command as [string, ...string[]];
      const here = words.map((word) => word.replace('/etc/scriptorium/tls', folder));
      const env = { PATH: process.env.PATH, REDISCLI_AUTH: passwordOf('default') };
      const answer = execFileSync(program, ['-p', String(port), ...here], { env, encoding: 'utf8' });
      expect(answer).toBe('PONG\n');
    }
    const scaled = await render('keda', '--set', 'redis.internal.tls.enabled=true', '--set', TLS_SECRET);
    for (const { spec } of ofKind(scaled, 'ScaledObject'))
      for (const { metadata } of spec.triggers) expect(metadata.enableTLS).toBe('true');
    expect(ofKind(scaled, 'TriggerAuthentication')[0]?.spec.secretTargetRef).toContainEqual({
      ...{ parameter: 'ca', name: 'redis-tls', key: 'ca.crt' },
    });
    await expect(render('defaults', '--set', 'redis.internal.tls.enabled=true')).rejects.toThrow(
      'redis.internal.tls.existingSecret: set the Secret',
    );
  });

  test('keeps each service to its keys, and KEDA to the lengths of the queues', async () => {
    const { port } = await startAsInThePod('queue', await render('defaults'));
    const converter = await connection(port, 'converter');
    expect(await converter.get('{scriptorium}:convert:req_1')).toBeNull();
    await expect(converter.get('{scriptorium}:verify:req_1')).rejects.toThrow('NOPERM');
    const keda = new Redis(port, { password: passwordOf('default'), enableReadyCheck: false });
    undo.push(async () => keda.disconnect());
    // As the scaler of KEDA asks.
    const length = `local found = redis.call('type', KEYS[1]).ok
      return redis.call(({ zset = 'zcard', list = 'llen', none = 'llen' })[found], KEYS[1])`;
    for (const state of ['wait', 'prioritized', 'active'])
      expect(await keda.eval(length, 1, `{scriptorium}:convert:${state}`)).toBe(0);
    await expect(keda.hgetall('{scriptorium}:convert:req_1')).rejects.toThrow('NOPERM');
    await expect(keda.lrange('{scriptorium}:convert:wait', 0, -1)).rejects.toThrow('NOPERM');
    const nobody = new Redis(port, { enableReadyCheck: false });
    nobody.on('error', () => undefined);
    undo.push(async () => nobody.disconnect());
    await expect(nobody.ping()).rejects.toThrow('NOAUTH');
  });

  test('is reached by each service as its own user, with secrets of jobs that only gateways share', async () => {
    const objects = await render('defaults');
    for (const deployment of servicesOf(objects)) {
      const { env } = containerOf(deployment) as { env: Variable[] };
      const service = componentOf(deployment);
      const found = env.find(({ name }) => name === 'REDIS_URL')?.value;
      const jobs = env.map(({ name }) => name).filter((name) => name.endsWith('_JOB_SECRET'));
      if (service === 'telemetry') {
        expect([found, jobs]).toEqual([undefined, []]);
        continue;
      }
      expect(found).toBe(`redis://${service}:$(REDIS_PASSWORD)@docs-scriptorium-redis-queue:6379`);
      const password = env.find(({ name }) => name === 'REDIS_PASSWORD');
      expect(password?.valueFrom?.secretKeyRef.key).toBe(`REDIS_${service.toUpperCase()}_PASSWORD`);
      // Kubernetes expands only variables that come before.
      expect(env.indexOf(password as Variable)).toBeLessThan(
        env.findIndex(({ name }) => name === 'REDIS_URL'),
      );
      if (service === 'gateway') expect(jobs).toHaveLength(4);
      else expect(jobs).toEqual([`${service.toUpperCase()}_JOB_SECRET`]);
    }
  });

  test('gets passwords of its own in a trial, which no other object has', async () => {
    const objects = await render('trial');
    const secret = ofKind(objects, 'Secret').find(({ metadata }) => metadata.name === 'docs-scriptorium');
    const made = Object.entries(secret?.stringData ?? {}).filter(([name]) => /^REDIS|JOB_SECRET$/.test(name));
    expect(made).toHaveLength(10);
    expect(new Set(made.map(([, value]) => value)).size).toBe(10);
    const others = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'));
    for (const [, value] of made) expect(others).not.toContain(value);
  });

  test('may be one over TLS, with an authority of its own', async () => {
    const args = ['--set', 'redis.external.caSecret=redis-ca', '--set', 'redis.external.perService=true'];
    for (const deployment of servicesOf(await render('external-redis', ...args))) {
      const { env, volumeMounts } = containerOf(deployment);
      const service = componentOf(deployment);
      const file = (env as Variable[]).find(({ name }) => name === 'REDIS_CA_FILE')?.value;
      if (service.startsWith('telemetry')) {
        expect(file).toBeUndefined();
        continue;
      }
      expect(file).toBe('/etc/scriptorium/redis/ca.crt');
      expect(volumeMounts).toContainEqual({
        name: 'redis-ca',
        mountPath: '/etc/scriptorium/redis',
        readOnly: true,
      });
      const address = (env as Variable[]).find(({ name }) => name === 'REDIS_URL');
      expect(address?.valueFrom?.secretKeyRef.key).toBe(`REDIS_URL_${service.toUpperCase()}`);
    }
  });

  test('is one pod, never two behind one name, and has more memory than it fills', async () => {
    const bytes = (text: string) => Number.parseInt(text, 10) * (/g/i.test(text) ? 1024 ** 3 : 1024 ** 2);
    const objects = await render('defaults');
    for (const role of ['queue', 'blob']) {
      const { spec } = named(objects, 'Deployment', `redis-${role}`);
      expect([spec.replicas, spec.strategy]).toEqual([1, { type: 'Recreate' }]);
      const settings = named(objects, 'ConfigMap', `redis-${role}`).data?.['redis.conf'] ?? '';
      const maxmemory = bytes(/maxmemory (\w+)/.exec(settings)?.[1] ?? '');
      expect(bytes(spec.template.spec.containers[0].resources.limits.memory)).toBeGreaterThanOrEqual(
        maxmemory * 1.25,
      );
    }
  });

  test('is absent if the operator has an external one', async () => {
    const objects = await render('external-redis');
    expect(objects.filter((object) => componentOf(object).startsWith('redis-'))).toEqual([]);
  });
});
