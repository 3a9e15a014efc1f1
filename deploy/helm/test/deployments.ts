import { createHash } from 'node:crypto';
import { JOB_SECRETS, SERVICE_NAMES, type ServiceName } from '@scriptorium/contracts/services';
import { componentOf, type KubernetesObject, ofKind, render } from './helm.ts';

/** Possible content of a Secret under a setting's name. */
const SAMPLE_SECRETS: Record<string, string> = {
  REDIS_PASSWORD: 'password',
  ...Object.fromEntries(Object.values(JOB_SECRETS).map((name, at) => [name, `${at}c`.repeat(32)])),
  REDIS_URL: 'redis://:password@redis:6379',
  REDIS_BLOB_URL: 'redis://:password@redis:6379/1',
  REDIS_SENTINELS: 'sentinel-0:26379,rediss://sentinel-1',
  DATABASE_URL: 'postgres://user:password@postgres/scriptorium',
  SMTP_URL: 'smtp://user:password@mail:587',
  CODE_PEPPER: 'p'.repeat(32),
  SIGNER_SECRET: 'a1'.repeat(32),
  VERIFIER_SECRET: 'b2'.repeat(32),
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
};
export const isService = (name: string): name is ServiceName => (SERVICE_NAMES as string[]).includes(name);

export interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}

// biome-ignore lint/suspicious/noExplicitAny: a container, as its validator knows it
type Container = any;

export const podOf = (deployment: KubernetesObject) => deployment.spec.template.spec;
export const containerOf = (deployment: KubernetesObject): Container => podOf(deployment).containers[0];
const isServer = (deployment: KubernetesObject) => /^(redis|trial)-/.test(componentOf(deployment));
export const servicesOf = (objects: readonly KubernetesObject[]) =>
  ofKind(objects, 'Deployment').filter((deployment) => !isServer(deployment));

export async function deploymentOf(
  component: string,
  example: string,
  ...args: string[]
): Promise<KubernetesObject> {
  const objects = await render(example, ...args);
  const found = ofKind(objects, 'Deployment').find((deployment) => componentOf(deployment) === component);
  if (found === undefined) throw new Error(`${component} is not deployed`);
  return found;
}

/** The environment of a container, with samples for values from Secrets. */
export function environmentOf(deployment: KubernetesObject): Record<string, string> {
  const variables = (containerOf(deployment).env ?? []) as Variable[];
  return Object.fromEntries(
    variables.map(({ name, value }) => [
      name,
      value?.replace('$(REDIS_PASSWORD)', 'password') ?? SAMPLE_SECRETS[name] ?? `no sample of ${name}`,
    ]),
  );
}

/** The environment of a pod, as Kubernetes makes it of these Secrets. */
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
