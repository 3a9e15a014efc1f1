import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES } from '@scriptorium/contracts/services';
import { loadConfig } from '@scriptorium/shared/config';
import { testInWhole } from '@scriptorium/testing/extent';
import type { z } from 'zod';
import { SERVICE_SETTINGS } from '../../settings.ts';
import { settingsOfOperators } from '../operator-settings.ts';
import {
  containerOf,
  deploymentOf,
  environmentOf,
  isService,
  podOf,
  servicesOf,
  type Variable,
} from './deployments.ts';
import { componentOf, type KubernetesObject, ofKind, render, renderText, VALUE_SETS } from './helm.ts';

/** The volumes of a pod with what is secret. The certificate of an authority is not, if its key is not beside it. */
function secretVolumes(deployment: KubernetesObject): string[] {
  const volumes: { name: string; secret?: { items?: { key: string }[] } }[] = podOf(deployment).volumes;
  return volumes
    .filter(({ secret }) => secret !== undefined && secret.items?.map(({ key }) => key).join() !== 'ca.crt')
    .map(({ name }) => name);
}

describe.each(VALUE_SETS)('with the values `%s`', (example) => {
  const rendering = render(example);

  test('every pod is admitted by the Pod Security Standard `restricted`', async () => {
    for (const deployment of ofKind(await rendering, 'Deployment')) {
      const pod = podOf(deployment);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.hostNetwork ?? pod.hostPID ?? pod.hostIPC).toBeUndefined();
      expect(pod.initContainers).toBeUndefined();
      for (const { securityContext } of pod.containers)
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      const kinds = pod.volumes.flatMap((volume: object) =>
        Object.keys(volume).filter((name) => name !== 'name'),
      );
      for (const kind of kinds) expect(['emptyDir', 'configMap', 'secret']).toContain(kind);
    }
  });

  test('no pod has a token of the cluster, and each has its own account', async () => {
    const objects = await rendering;
    const accounts = ofKind(objects, 'ServiceAccount') as (KubernetesObject & {
      automountServiceAccountToken: boolean;
    })[];
    expect(accounts.map((account) => account.automountServiceAccountToken)).not.toContain(true);
    const used = ofKind(objects, 'Deployment').map((deployment) => {
      expect(podOf(deployment).automountServiceAccountToken).toBe(false);
      return podOf(deployment).serviceAccountName;
    });
    expect(used.sort()).toEqual(accounts.map(({ metadata }) => metadata.name).sort());
  });

  test('no disk stores what a pod writes', async () => {
    // No document gets to the database.
    for (const deployment of ofKind(await rendering, 'Deployment'))
      for (const volume of podOf(deployment).volumes)
        if ('emptyDir' in volume && componentOf(deployment) !== 'trial-database')
          expect(volume.emptyDir).toMatchObject({ medium: 'Memory' });
  });

  test('every service is monitored on the port `internal`', async () => {
    for (const deployment of servicesOf(await rendering)) {
      const { startupProbe, livenessProbe, readinessProbe, ports, env } = containerOf(deployment);
      expect(startupProbe.httpGet).toEqual({ path: '/livez', port: 'internal' });
      expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 'internal' });
      expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'internal' });
      const { containerPort } = ports.find(({ name }: { name: string }) => name === 'internal');
      expect(env).toContainEqual({ name: 'INTERNAL_PORT', value: String(containerPort) });
      expect(env).toContainEqual({ name: 'INTERNAL_HOST', value: '0.0.0.0' });
    }
  });

  test('the environment of each container is valid for its service', async () => {
    const deployments = servicesOf(await rendering);
    expect(new Set(deployments.map((deployment) => containerOf(deployment).name))).toEqual(
      new Set(SERVICE_NAMES),
    );
    for (const deployment of deployments) {
      const service: string = containerOf(deployment).name;
      if (!isService(service)) throw new Error(`${service} is not a service`);
      const environment = environmentOf(deployment);
      const schema: z.ZodObject = SERVICE_SETTINGS[service];
      const known = Object.keys(schema.shape);
      // A part of the addresses of Redis.
      const added = ['REDIS_PASSWORD', ...(example === 'everything' ? ['NODE_EXTRA_CA_CERTS'] : [])];
      expect(
        Object.keys(environment).filter((name) => !known.includes(name) && !added.includes(name)),
      ).toEqual([]);
      expect(() => loadConfig(schema, environment)).not.toThrow();
      const names = (containerOf(deployment).env as Variable[]).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('no secret appears in the environment, in arguments, in a ConfigMap or in an annotation', async () => {
    const objects = await rendering;
    const open = objects.filter(({ kind }) => kind !== 'Secret');
    // Kubernetes replaces $(…) by a value of a Secret.
    expect(JSON.stringify(open)).not.toMatch(/hidden-word|:\/\/[^/"\s]*:(?!\$\()[^/"\s]*@/);
    for (const deployment of servicesOf(objects))
      for (const { name, value } of containerOf(deployment).env as Variable[])
        if (/SECRET|PEPPER|PASSWORD|DATABASE_URL|SMTP_URL|HEADERS/.test(name))
          expect({ name, value }).toEqual({ name });
  });

  test('only signers mount the signing keys', async () => {
    for (const deployment of servicesOf(await rendering)) {
      const names = secretVolumes(deployment);
      const expected = componentOf(deployment) === 'signer' && example !== 'trial' ? ['signing'] : [];
      expect(names).toEqual(expected);
    }
  });

  test('verifiers, which read hostile documents, have neither a key nor the secret that seals keys', async () => {
    const [verifier] = servicesOf(await rendering).filter(
      (deployment) => componentOf(deployment) === 'verifier',
    );
    if (verifier === undefined) throw new Error('no verifier is deployed');
    const names = Object.keys(environmentOf(verifier));
    for (const name of ['SIGNER_SECRET', 'SIGNING_PROFILES', 'DEVELOPMENT_KEY_DIR'])
      expect(names).not.toContain(name);
    expect(secretVolumes(verifier)).toEqual([]);
    expect(JSON.stringify(podOf(verifier))).not.toContain('scriptorium-signing');
  });

  test('documents have memory that counts in the limit of converters', async () => {
    const bytes = (text: string) => Number.parseInt(text, 10) * (text.endsWith('Gi') ? 1024 ** 3 : 1024 ** 2);
    for (const deployment of servicesOf(await rendering)) {
      const { volumeMounts, resources } = containerOf(deployment);
      const shared = podOf(deployment).volumes.find(({ name }: { name: string }) => name === 'shared-memory');
      expect(shared !== undefined).toBe(componentOf(deployment) === 'converter');
      if (shared === undefined) continue;
      expect(volumeMounts).toContainEqual({ name: 'shared-memory', mountPath: '/dev/shm' });
      const room = bytes(shared.emptyDir.sizeLimit);
      // services/converter/engine-host/watch.c permits 1 GiB of files per document.
      expect(room).toBeGreaterThanOrEqual(Number(environmentOf(deployment).ENGINES) * 1024 ** 3);
      expect(bytes(resources.limits.memory) - bytes(shared.emptyDir.sizeLimit)).toBeGreaterThanOrEqual(
        1024 ** 3,
      );
    }
  });
});

describe('settings', () => {
  test.each(SERVICE_NAMES)(
    'of the %s are all accepted as values, except those that the chart sets itself',
    async (service) => {
      const schema = JSON.parse(
        await readFile(new URL('../scriptorium/values.schema.json', import.meta.url), 'utf8'),
      );
      const taken = Object.keys(schema.properties[service].properties.settings.properties);
      expect(taken).toEqual([...settingsOfOperators(service).keys()]);
      expect(taken).toContain('LOG_LEVEL');
    },
  );

  test('reach the process unchanged, including large numbers', async () => {
    const gateway = await deploymentOf(
      'gateway',
      'defaults',
      '--set',
      'gateway.settings.BYTES_IN_FLIGHT_MAX=1073741824',
    );
    expect(environmentOf(gateway).BYTES_IN_FLIGHT_MAX).toBe('1073741824');
    expect(environmentOf(await deploymentOf('gateway', 'everything')).UPLOAD_BYTES_MAX).toBe('26214400');
  });

  test('reach the process unchanged, including small shares', async () => {
    const signer = await deploymentOf('signer', 'everything', '--set-json', 'tracing.samplerArg=0.00001');
    expect(environmentOf(signer).OTEL_TRACES_SAMPLER_ARG).toBe('0.00001');
  });

  test('are absent if an operator removes them', async () => {
    const none = ['--set-json', 'gateway.settings={"DEPLOYMENT":null,"LOG_LEVEL":null,"DRAIN_MS":null}'];
    const names = Object.keys(environmentOf(await deploymentOf('gateway', 'defaults', ...none)));
    for (const name of ['DEPLOYMENT', 'LOG_LEVEL', 'DRAIN_MS']) expect(names).not.toContain(name);
  });

  test('of one service override those of all services', async () => {
    const args = ['--set', 'defaults.settings.LOG_LEVEL=warn,signer.settings.LOG_LEVEL=debug'];
    expect(environmentOf(await deploymentOf('signer', 'defaults', ...args)).LOG_LEVEL).toBe('debug');
    expect(environmentOf(await deploymentOf('gateway', 'defaults', ...args)).LOG_LEVEL).toBe('warn');
  });

  test('trust one proxy if the chart puts one in front, and otherwise none', async () => {
    expect(environmentOf(await deploymentOf('gateway', 'everything')).TRUST_PROXY_HOPS).toBe('1');
    expect(environmentOf(await deploymentOf('gateway', 'defaults')).TRUST_PROXY_HOPS).toBeUndefined();
    const configured = await deploymentOf(
      'gateway',
      'everything',
      '--set',
      'gateway.settings.TRUST_PROXY_HOPS=2',
    );
    expect(environmentOf(configured).TRUST_PROXY_HOPS).toBe('2');
  });

  test('of telemetry give one pod both roles, or each Deployment one', async () => {
    const together = await deploymentOf('telemetry', 'defaults');
    expect(environmentOf(together).TELEMETRY_ROLE).toBe('all');
    expect(environmentOf(await deploymentOf('telemetry', 'everything')).TELEMETRY_ROLE).toBe('collector');
    expect(environmentOf(await deploymentOf('telemetry-consumer', 'everything')).TELEMETRY_ROLE).toBe(
      'consumer',
    );
  });

  test('run jobs in gateways, or in pods of their own, which nobody calls', async () => {
    const of = async (component: string, values: string) =>
      environmentOf(await deploymentOf(component, values)).JOBS_AT_A_TIME;
    expect(await of('gateway', 'everything')).toBe('0');
    expect(await of('runner', 'everything')).toBe('8');
    const services = ofKind(await render('everything'), 'Service').map(({ metadata }) => metadata.name);
    expect(services).not.toContain('docs-scriptorium-runner');
  });
});

describe('pods', () => {
  test('have a fixed user unless an operator leaves it to OpenShift', async () => {
    const usual = podOf(await deploymentOf('converter', 'defaults')).securityContext;
    expect(usual).toMatchObject({ runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001 });
    const left = podOf(await deploymentOf('converter', 'openshift')).securityContext;
    expect(Object.keys(left).sort()).toEqual(['runAsNonRoot', 'seccompProfile']);
  });

  test('may read the mounted keys only if they are signers', async () => {
    const pod = podOf(await deploymentOf('signer', 'defaults'));
    expect(pod.volumes).toContainEqual({
      name: 'signing',
      secret: { secretName: 'scriptorium-signing', defaultMode: 0o440 },
    });
    expect(pod.securityContext.fsGroup).toBe(10001);
  });

  test('of the verifier alone mount trust profiles, if an operator configures them', async () => {
    const of = (component: string) => deploymentOf(component, 'everything');
    expect(environmentOf(await of('verifier')).TRUST_PROFILES).toBe(
      '/etc/scriptorium/trust/trust-profiles.json',
    );
    expect(podOf(await of('verifier')).volumes).toContainEqual({
      name: 'trust',
      configMap: { name: 'scriptorium-trust' },
    });
    expect(containerOf(await of('verifier')).volumeMounts).toContainEqual({
      name: 'trust',
      mountPath: '/etc/scriptorium/trust',
      readOnly: true,
    });
    expect(JSON.stringify(podOf(await of('signer')))).not.toContain('scriptorium-trust');
    expect(environmentOf(await deploymentOf('verifier', 'defaults'))).not.toHaveProperty('TRUST_PROFILES');
  });

  test('of the gateway all stay available during a roll-out', async () => {
    const { strategy } = (await deploymentOf('gateway', 'defaults')).spec;
    expect(strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
  });

  test('are spread over nodes and zones, each workload separately', async () => {
    const deployment = await deploymentOf('converter', 'defaults');
    for (const constraint of podOf(deployment).topologySpreadConstraints)
      expect(constraint.labelSelector.matchLabels).toEqual(deployment.spec.selector.matchLabels);
    expect(podOf(deployment).topologySpreadConstraints).toHaveLength(2);
  });

  test('use an image by its digest if one is set', async () => {
    expect(containerOf(await deploymentOf('gateway', 'everything')).image).toMatch(
      /^registry\.example\.com\/documents\/scriptorium\/gateway@sha256:0123/,
    );
    expect(
      containerOf(await deploymentOf('signer', 'defaults', '--set', 'signer.image.tag=1.2.3')).image,
    ).toBe('scriptorium/signer:1.2.3');
  });

  test('of disabled services are absent, with all their objects', async () => {
    const text = await renderText('everything', '--set', 'telemetry.enabled=false,annotator.enabled=false');
    expect(text).not.toMatch(/^ {2}name: \S*-(telemetry|annotator)\b/m);
  });

  testInWhole('are replaced when the values of their secrets change', async () => {
    const checksum = async (pepper: string) => {
      const args = ['--set-string', `secrets.values.codePepper=${pepper}`];
      return (await deploymentOf('gateway', 'trial', ...args)).spec.template.metadata.annotations[
        'checksum/secrets'
      ];
    };
    expect(await checksum('a'.repeat(32))).not.toBe(await checksum('b'.repeat(32)));
  });
});
