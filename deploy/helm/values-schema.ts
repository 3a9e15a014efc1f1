import { type NamedService, SERVICE_LIST, type ServiceName } from '@scriptorium/contracts/services';
import { SAMPLERS } from '@scriptorium/shared/tracing/settings';
import { type Schema, settingsOfOperators } from './operator-settings.ts';
import { JOB_KEYS } from './service-values.ts';
import {
  anyObject,
  count,
  countOrPercent,
  flag,
  idOrNull,
  imageName,
  key,
  keyOrNone,
  matching,
  memory,
  NAME,
  nameOrNone,
  networks,
  objectName,
  objects,
  objectsWith,
  oneOf,
  only,
  percent,
  port,
  ports,
  positive,
  probe,
  redisMemory,
  ref,
  registry,
  tag,
  text,
  textMap,
  textOrNone,
  texts,
  whole,
} from './value-types.ts';

const resources = only({ requests: ref('memoryAndCpu'), limits: ref('memoryAndCpu'), claims: objects });

const definitions: Schema = {
  memoryAndCpu: {
    type: 'object',
    additionalProperties: { type: ['string', 'number'] },
    properties: { cpu: { type: ['string', 'number'] }, memory },
  },
  peers: objects,
  named: objectsWith('name'),
  containers: objectsWith('name', 'image'),
  mounts: objectsWith('name', 'mountPath'),
  hostAliases: objectsWith('ip'),
  probe,
  ingress: only({
    enabled: flag,
    className: text,
    annotations: textMap,
    hosts: {
      type: 'array',
      items: {
        ...only({
          host: textOrNone(`(\\*\\.)?${NAME}`),
          paths: {
            type: 'array',
            items: only({
              path: { type: 'string', pattern: '^/' },
              pathType: oneOf('Prefix', 'Exact', 'ImplementationSpecific'),
            }),
          },
        }),
        required: ['host'],
      },
    },
    tls: { type: 'array', items: only({ secretName: nameOrNone, hosts: texts }) },
  }),
  httpRoute: only({ enabled: flag, parentRefs: objects, hostnames: texts, annotations: textMap }),
  service: only({ type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'), port, annotations: textMap }),
  image: only({ tag, digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' } }),
  resources,
  monitor: only({
    enabled: flag,
    labels: textMap,
    interval: { type: 'string', pattern: '^[0-9]+(ms|s|m)$' },
  }),
};

/** The properties of `defaults`, which every workload may override. */
const podValues: Schema = {
  // The kubelet does not reach a pod's loopback.
  listenHost: { ...matching('^[0-9a-fA-F.:]+$'), not: { pattern: '^(127\\.|::1$)' } },
  extraEnv: ref('named'),
  podAnnotations: textMap,
  podLabels: textMap,
  extraEnvFrom: objects,
  initContainers: ref('containers'),
  sidecars: ref('containers'),
  serviceAccount: only({ create: flag, name: nameOrNone, annotations: textMap }),
  nodeSelector: textMap,
  tolerations: objects,
  affinity: anyObject,
  priorityClassName: nameOrNone,
  runtimeClassName: nameOrNone,
  hostAliases: ref('hostAliases'),
  dnsConfig: anyObject,
  dnsPolicy: oneOf('', 'ClusterFirst', 'Default', 'None'),
  probes: only({ startup: ref('probe'), liveness: ref('probe'), readiness: ref('probe') }),
  // Longer work is checked against the settings.
  terminationGracePeriodSeconds: { type: 'integer', minimum: 20 },
  topologySpread: only({ keys: texts, whenUnsatisfiable: oneOf('ScheduleAnyway', 'DoNotSchedule') }),
  strategy: only({ maxUnavailable: countOrPercent, maxSurge: countOrPercent }),
  podDisruptionBudget: only({ enabled: flag, maxUnavailable: countOrPercent }),
  tmpSize: memory,
  extraVolumes: ref('named'),
  extraVolumeMounts: ref('mounts'),
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

const settings = (types: Iterable<readonly [string, Schema]>): Schema => only(Object.fromEntries(types));

const facing: Schema = { service: ref('service'), ingress: ref('ingress'), httpRoute: ref('httpRoute') };

/** A part of a service that may have a Deployment of its own. */
const ownPart: Schema = { separate: flag, replicas: positive, resources: ref('resources') };

/** What only some workloads have. */
const OWN_VALUES: Partial<Record<ServiceName, Schema>> = {
  gateway: { runner: only({ ...ownPart, replicasMax: count, jobsAtATime: positive }) },
  converter: { sharedMemory: memory },
  telemetry: { consumer: only(ownPart) },
};

const workload = ({ name, scaling, publicPort }: NamedService): Schema =>
  only({
    enabled: flag,
    replicas: positive,
    image: ref('image'),
    settings: settings(settingsOfOperators(name)),
    resources: ref('resources'),
    ...podValues,
    autoscaling: scaling === undefined ? scalingByCpu : scalingByJobs,
    ...OWN_VALUES[name],
    ...(publicPort === undefined ? {} : facing),
  });

function commonSettings(): [string, Schema][] {
  const [first = new Map<string, Schema>(), ...rest] = SERVICE_LIST.map(({ name }) =>
    settingsOfOperators(name),
  );
  return [...first].filter(([name]) => rest.every((known) => known.has(name)));
}

const redisServer = whole({ maxmemory: redisMemory, resources: ref('resources') });
const redis = whole({
  internal: whole({
    enabled: flag,
    image: imageName,
    tls: whole({ enabled: flag, existingSecret: nameOrNone, certKey: key, keyKey: key, caKey: key }),
    queue: redisServer,
    blob: redisServer,
  }),
  external: whole({
    existingSecret: objectName,
    queueUrlKey: key,
    blobUrlKey: key,
    sentinelsKey: key,
    perService: flag,
    caSecret: nameOrNone,
    caKey: key,
  }),
  keda: whole({
    address: textOrNone('[^/@\\s]+:[0-9]+'),
    sentinelMaster: text,
    enableTLS: flag,
    usernameKey: keyOrNone,
    passwordKey: keyOrNone,
  }),
});

const to = whole({ to: ref('peers'), ports });
const from = whole({ from: ref('peers') });
const networkPolicy = whole({
  enabled: flag,
  ingress: from,
  monitoring: from,
  keda: from,
  dns: to,
  redis: to,
  database: to,
  smtp: to,
  fetch: whole({ enabled: flag, ports, except: networks, extra: objects }),
  otlp: to,
});

const secretNames = ['databaseUrl', 'smtpUrl', 'codePepper', 'signerSecret', 'verifierSecret'];
/** 32 bytes in hexadecimal or base64, or two of them while one replaces the other. */
const ONE = '([0-9A-Fa-f]{64,}|[A-Za-z0-9+/]{43,}={0,2})';
const sealingSecret = textOrNone(`${ONE}(,${ONE})?`);
const secretTexts = whole({
  databaseUrl: textOrNone('postgres(ql)?://.+'),
  smtpUrl: textOrNone('smtps?://.+'),
  codePepper: textOrNone('.{32,}'),
  signerSecret: sealingSecret,
  verifierSecret: sealingSecret,
});
const secretKeys = whole(Object.fromEntries([...secretNames, ...JOB_KEYS].map((name) => [name, key])));
const monitored = only({ enabled: flag, labels: textMap });

/** The schema of the chart's values: our own names are closed; Kubernetes defines its own. */
export function valuesSchema(): Schema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Values of the chart scriptorium; generated by npm run docs',
    ...only({
      // Other charts of the same installation may have values there.
      global: { type: 'object', properties: { imageRegistry: registry } },
      nameOverride: nameOrNone,
      fullnameOverride: nameOrNone,
      commonLabels: textMap,
      extraObjects: { type: 'array', items: { type: ['object', 'string'] } },
      image: whole({
        registry,
        repository: matching('^[a-z0-9]([-._/a-z0-9]*[a-z0-9])?$'),
        tag,
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
      secrets: whole({ existingSecret: objectName, keys: secretKeys, create: flag, values: secretTexts }),
      signing: whole({
        existingSecret: nameOrNone,
        files: whole({ signingProfiles: key, timestampProfiles: keyOrNone }),
        developmentKey: flag,
      }),
      bootstrapKey: whole({ existingSecret: nameOrNone, key }),
      trust: whole({ existingConfigMap: nameOrNone, profiles: key }),
      redis,
      tracing: whole({
        enabled: flag,
        endpoint: textOrNone('https?://\\S+'),
        headersSecret: nameOrNone,
        sampler: { enum: SAMPLERS },
        samplerArg: {
          anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, matching('^(0(\\.[0-9]+)?|1(\\.0+)?)$')],
        },
        resourceAttributes: text,
      }),
      monitoring: whole({
        serviceMonitor: ref('monitor'),
        podMonitor: ref('monitor'),
        rules: monitored,
        dashboard: monitored,
      }),
      networkPolicy,
      ...Object.fromEntries(SERVICE_LIST.map((service) => [service.name, workload(service)])),
      trial: whole({
        database: only({ enabled: flag, image: imageName, runAsUser: idOrNull, resources: ref('resources') }),
        mail: whole({ enabled: flag, image: imageName, resources: ref('resources') }),
      }),
    }),
    $defs: definitions,
  };
}
