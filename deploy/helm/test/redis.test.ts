import { spawn } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient, disconnect, misconfigurations } from '@scriptorium/shared/queue/connection';
import { findRedisBinary } from '@scriptorium/testing/redis-server';
import { freePort } from '@scriptorium/testing/server-process';
import { componentOf, type KubernetesObject, ofKind, render } from './helm.ts';

const PASSWORD = 'correctHorseBatteryStaple';
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
): Promise<{ port: number }> {
  const binary = findRedisBinary();
  if (binary === undefined) throw new Error('No redis-server found; on Debian install redis-tools.');
  const folder = await mkdtemp(join(tmpdir(), 'chart-redis-'));
  undo.push(() => rm(folder, { recursive: true }));
  await symlink(binary, join(folder, 'redis-server'));
  const port = await freePort();
  const settings = named(objects, 'ConfigMap', `redis-${role}`).data?.['redis.conf'] ?? '';
  // Only the address differs from the chart: tests stay on loopback.
  const here = settings.replace('bind * -::*', 'bind 127.0.0.1').replace('port 6379', `port ${port}`);
  await writeFile(join(folder, 'redis.conf'), here.replace('/tmp', folder));
  const [container] = named(objects, 'Deployment', `redis-${role}`).spec.template.spec.containers;
  const script: string = container.args[0]
    .replaceAll('/tmp/redis.conf', `${folder}/running.conf`)
    .replaceAll('/etc/scriptorium', folder);
  const [program, ...options] = container.command as [string, ...string[]];
  const password = container.env === undefined ? {} : { REDISCLI_AUTH: PASSWORD };
  const server = spawn(program, [...options, script], {
    env: { PATH: `${folder}:/usr/bin:/bin`, ...password },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => server.once('close', resolve));
  undo.push(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  return { port };
}

async function connection(port: number, password?: string) {
  const redis = connectPatient(new Secret(`redis://${password ? `:${password}@` : ''}127.0.0.1:${port}`));
  undo.push(() => disconnect(redis));
  return redis;
}

describe('the Redis of a release', () => {
  test.each(['queue', 'blob'])('is accepted by gateways: %s', async (role) => {
    const { port } = await startAsInThePod(role, await render('defaults'));
    const redis = await connection(port);
    expect(await misconfigurations(redis)).toEqual([]);
    const [, maxmemory] = (await redis.config('GET', 'maxmemory')) as [string, string];
    expect(Number(maxmemory)).toBeGreaterThan(256 * 1024 ** 2);
  });

  test('refuses clients without the password if there is one', async () => {
    const objects = await render('defaults', '--set-string', `redis.internal.password=${PASSWORD}`);
    const { port } = await startAsInThePod('queue', objects);
    expect(await (await connection(port, PASSWORD)).ping()).toBe('PONG');
    await expect((await connection(port)).get('any')).rejects.toThrow('NOAUTH');
    const secret = ofKind(objects, 'Secret').find(
      ({ metadata }) => metadata.name === 'docs-scriptorium-redis',
    );
    expect(secret?.stringData).toEqual({
      password: PASSWORD,
      REDIS_URL: `redis://:${PASSWORD}@docs-scriptorium-redis-queue:6379`,
      REDIS_BLOB_URL: `redis://:${PASSWORD}@docs-scriptorium-redis-blob:6379`,
    });
    const others = objects.filter(({ kind }) => kind !== 'Secret');
    expect(JSON.stringify(others)).not.toContain(PASSWORD);
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
