import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { containerOf, podOf, servicesOf, type Variable } from '../../helm/test/deployments.ts';
import { componentOf, type KubernetesObject, ofKind, render } from '../../helm/test/helm.ts';
import type { Plan } from './trial.ts';

const RELEASE = 'docs-scriptorium';
const MIB = 2 ** 20;

/** The rules of a rendered Redis, with the passwords of a rendered Secret, and without the user of its probes. */
export function usersIn(objects: readonly KubernetesObject[], secrets: Record<string, string>): string {
  const file = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name.endsWith('redis-queue'));
  const rules = (file?.data?.['users.acl'] ?? '').replace(/PASSWORD_(\w+) /g, (_, user: string) => {
    const name = user === 'default' ? 'REDIS_PASSWORD' : `REDIS_${user.toUpperCase()}_PASSWORD`;
    const hash = createHash('sha256').update(secrets[name] ?? '');
    return `#${hash.digest('hex')} `;
  });
  return rules.replace(/^user default .*\n/m, '');
}

/** The environment of a pod, as Kubernetes makes it. */
export function environmentIn(
  deployment: KubernetesObject,
  secrets: Record<string, string>,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const { name, value, valueFrom } of containerOf(deployment).env as Variable[]) {
    const text = value ?? secrets[valueFrom?.secretKeyRef.key ?? ''];
    // It expands variables that come before.
    if (text !== undefined) values[name] = text.replace(/\$\((\w+)\)/g, (_, other) => values[other] ?? '');
  }
  return values;
}

interface Volume {
  name: string;
  emptyDir?: { sizeLimit: string };
}

/** The services of the chart with trial.yaml, as its pods have them. */
export async function chartPlan(volumes: string, uid: number): Promise<Plan> {
  const objects = await render('trial');
  const secrets = ofKind(objects, 'Secret')[0]?.stringData ?? {};
  rmSync(volumes, { recursive: true, force: true });
  mkdirSync(volumes, { recursive: true });
  const users = join(volumes, 'users.acl');
  writeFileSync(users, usersIn(objects, secrets));
  const pods = new Map(servicesOf(objects).map((deployment) => [componentOf(deployment), deployment]));
  return {
    hosts: ['redis-queue', 'redis-blob', 'trial-database', 'trial-mail'].map((name) => `${RELEASE}-${name}`),
    users,
    databasePassword: secrets.TRIAL_DATABASE_PASSWORD ?? '',
    containerOf(name) {
      const pod = pods.get(name);
      if (pod === undefined) throw new Error(`the chart has no ${name}`);
      const emptied = new Map(
        (podOf(pod).volumes as Volume[]).map((volume) => [volume.name, volume.emptyDir]),
      );
      const writable: Record<string, string> = {};
      let sharedMemoryMb: number | undefined;
      for (const mount of containerOf(pod).volumeMounts as { name: string; mountPath: string }[]) {
        const limit = emptied.get(mount.name)?.sizeLimit;
        if (limit === undefined) throw new Error(`${name} mounts ${mount.name}, which a trial has not`);
        if (mount.mountPath === '/dev/shm') sharedMemoryMb = bytesIn(limit) / MIB;
        // Every container has a /tmp in memory.
        if (mount.mountPath === '/tmp' || mount.mountPath === '/dev/shm') continue;
        const folder = join(volumes, `${name}-${mount.name}`);
        mkdirSync(folder, { recursive: true });
        chownSync(folder, uid, uid);
        writable[mount.mountPath] = folder;
      }
      return { env: environmentIn(pod, secrets), writable, ...(sharedMemoryMb && { sharedMemoryMb }) };
    },
  };
}

const bytesIn = (quantity: string): number =>
  Number.parseInt(quantity, 10) * (quantity.endsWith('Gi') ? 2 ** 30 : MIB);
