import type { ServiceName } from '../settings.ts';
import { settingsOfOperators } from './operator-settings.ts';

type Schema = Record<string, unknown>;

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const count: Schema = { type: 'integer', minimum: 0 };
const positive: Schema = { type: 'integer', minimum: 1 };
const percent: Schema = { type: 'integer', minimum: 1, maximum: 100 };
const countOrPercent: Schema = { anyOf: [count, { type: 'string', pattern: '^[0-9]+%$' }] };
const port: Schema = { type: 'integer', minimum: 1, maximum: 65_535 };
const memory: Schema = { type: 'string', pattern: '^[1-9][0-9]*(Ki|Mi|Gi)$' };
const redisMemory: Schema = { type: 'string', pattern: '^[1-9][0-9]*(kb|mb|gb)$' };
const idOrNull: Schema = { type: ['integer', 'null'], minimum: 1 };
/** Defined by Kubernetes and checked by its API server. */
const anyObject: Schema = { type: 'object' };
const objects: Schema = { type: 'array', items: anyObject };
const texts: Schema = { type: 'array', items: text };
const ports: Schema = { type: 'array', items: port, minItems: 1 };
const textMap: Schema = { type: 'object', additionalProperties: text };

/** An object with only these properties. */
const only = (properties: Schema): Schema => ({ type: 'object', additionalProperties: false, properties });
const oneOf = (...values: string[]): Schema => ({ enum: values });
const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });

const resources = only({ requests: ref('memoryAndCpu'), limits: ref('memoryAndCpu'), claims: objects });

const definitions: Schema = {
  memoryAndCpu: {
    type: 'object',
    additionalProperties: { type: ['string', 'number'] },
    properties: { cpu: { type: ['string', 'number'] }, memory },
  },
  peers: objects,
  ingress: only({
    enabled: flag,
    className: text,
    annotations: textMap,
    host: text,
    tlsSecret: text,
  }),
  httpRoute: only({ enabled: flag, parentRefs: objects, hostnames: texts, annotations: textMap }),
  service: only({ type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'), port, annotations: textMap }),
  image: only({ tag: text, digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' } }),
  resources,
  monitor: only({
    enabled: flag,
    labels: textMap,
    interval: { type: 'string', pattern: '^[0-9]+(ms|s|m)$' },
  }),
};

/** The properties of `defaults`, which every workload may override. */
const podValues: Schema = {
  listenHost: text,
  extraEnv: objects,
  podAnnotations: textMap,
  podLabels: textMap,
  serviceAccountAnnotations: textMap,
  nodeSelector: textMap,
  tolerations: objects,
  affinity: anyObject,
  priorityClassName: text,
  // Longer work is checked against the settings.
  terminationGracePeriodSeconds: { type: 'integer', minimum: 20 },
  topologySpread: only({ keys: texts, whenUnsatisfiable: oneOf('ScheduleAnyway', 'DoNotSchedule') }),
  strategy: only({ maxUnavailable: countOrPercent, maxSurge: countOrPercent }),
  podDisruptionBudget: only({ enabled: flag, maxUnavailable: countOrPercent }),
  tmpSize: memory,
  extraVolumes: objects,
  extraVolumeMounts: objects,
  extraEgress: objects,
};

const cpuScaling: Schema = {
  min: positive,
  max: positive,
  targetCpuPercent: percent,
  scaleDownSeconds: count,
};
const scalingByCpu = only({ mode: oneOf('hpa', 'none'), ...cpuScaling });
const scalingByJobs = only({
  mode: oneOf('keda', 'hpa', 'none'),
  ...cpuScaling,
  targetJobsPercent: percent,
  pollingSeconds: positive,
  fallbackReplicas: positive,
});

function settings(names: Iterable<readonly [string, string]>): Schema {
  const properties = Object.fromEntries(
    [...names].map(([name, description]) => [
      name,
      { description, type: ['string', 'number', 'boolean', 'null'] },
    ]),
  );
  return only(properties);
}

function workload(service: ServiceName, properties: Schema): Schema {
  return only({
    enabled: flag,
    replicas: positive,
    image: ref('image'),
    settings: settings(settingsOfOperators(service)),
    resources: ref('resources'),
    ...podValues,
    ...properties,
  });
}

const facing: Schema = { service: ref('service'), ingress: ref('ingress'), httpRoute: ref('httpRoute') };

function commonSettings(): [string, string][] {
  const others = (['gateway', 'converter', 'annotator', 'signer', 'verifier', 'telemetry'] as const).map(
    settingsOfOperators,
  );
  const [first = new Map<string, string>(), ...rest] = others;
  return [...first].filter(([name]) => rest.every((known) => known.has(name)));
}

const redisServer = only({ maxmemory: redisMemory, resources: ref('resources') });
const redis = only({
  internal: only({
    enabled: flag,
    image: text,
    password: { type: 'string', pattern: '^([A-Za-z0-9]{16,})?$' },
    existingSecret: text,
    queue: redisServer,
    blob: redisServer,
  }),
  external: only({ existingSecret: text, queueUrlKey: text, blobUrlKey: text }),
  keda: only({
    address: { type: 'string', pattern: '^([^/@\\s]+:[0-9]+)?$' },
    enableTLS: flag,
    usernameKey: text,
    passwordKey: text,
  }),
});

const to = only({ to: ref('peers'), ports });
const from = only({ from: ref('peers') });
const networkPolicy = only({
  enabled: flag,
  ingress: from,
  monitoring: from,
  keda: from,
  dns: to,
  redis: to,
  database: to,
  smtp: to,
  fetch: only({ enabled: flag, ports, except: texts, extra: objects }),
  otlp: to,
});

const secretNames = ['databaseUrl', 'smtpUrl', 'codePepper', 'signerSecret', 'verifierSecret'];
const secretTexts = only(Object.fromEntries(secretNames.map((name) => [name, text])));
const monitored = only({ enabled: flag, labels: textMap });

/** The schema of the chart's values: our own names are closed; Kubernetes defines its own. */
export function valuesSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Values of the chart scriptorium; generated by npm run docs',
    ...only({
      global: anyObject,
      nameOverride: text,
      fullnameOverride: text,
      image: only({
        registry: text,
        repository: text,
        tag: text,
        pullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
        pullSecrets: objects,
      }),
      defaults: only({ settings: settings(commonSettings()), ...podValues }),
      podSecurity: only({
        runAsUser: idOrNull,
        runAsGroup: idOrNull,
        fsGroup: idOrNull,
        seccompProfile: only({ type: oneOf('RuntimeDefault', 'Localhost'), localhostProfile: text }),
      }),
      secrets: only({ existingSecret: text, keys: secretTexts, create: flag, values: secretTexts }),
      signing: only({
        existingSecret: text,
        files: only({ signingProfiles: text, timestampProfiles: text }),
        developmentKey: flag,
      }),
      trust: only({ existingConfigMap: text, profiles: text }),
      redis,
      tracing: only({
        enabled: flag,
        endpoint: text,
        headersSecret: text,
        sampler: text,
        samplerArg: { type: ['number', 'string'] },
        resourceAttributes: text,
      }),
      monitoring: only({
        serviceMonitor: ref('monitor'),
        podMonitor: ref('monitor'),
        rules: monitored,
        dashboard: monitored,
      }),
      networkPolicy,
      gateway: workload('gateway', { autoscaling: scalingByCpu, ...facing }),
      converter: workload('converter', { autoscaling: scalingByJobs, sharedMemory: memory }),
      annotator: workload('annotator', { autoscaling: scalingByJobs }),
      signer: workload('signer', { autoscaling: scalingByJobs }),
      verifier: workload('verifier', { autoscaling: scalingByJobs }),
      telemetry: workload('telemetry', {
        autoscaling: scalingByCpu,
        consumer: only({ separate: flag, replicas: positive, resources: ref('resources') }),
        ...facing,
      }),
    }),
    $defs: definitions,
  };
}
