import { type NamedService, SERVICE_LIST, type ServiceName } from '@scriptorium/contracts/services';

const REDIS_VOLUME = 'redis';
const withRedis = SERVICE_LIST.filter(({ jobs }) => jobs !== undefined);
/** The others have ports and parts of their own, and stand in the files as they are. */
const workers = SERVICE_LIST.filter(({ publicPort }) => publicPort === undefined);
const flow = (words: readonly string[]): string => `[${words.join(', ')}]`;
const unique = (words: readonly string[]): string[] => [...new Set(words)];

/** Lines that only one worker has, in one of the files for Compose. */
interface OwnLines {
  environment?: string[];
  volumes?: string[];
  others?: string[];
}

const OWN_IN_TRIAL: Partial<Record<ServiceName, OwnLines>> = {
  converter: {
    environment: [`SANDBOX: \${SANDBOX:-required}`],
    others: [
      "# Documents are converted there, in memory. Docker's default of 64 MiB is too small for large ones.",
      'shm_size: 1g',
      'pids_limit: 2048',
    ],
  },
  signer: { volumes: ['signing-key:/var/lib/scriptorium'] },
};

/** Lines that only one image has. */
const OWN_IN_IMAGE: Partial<Record<ServiceName, string[]>> = {
  converter: [
    'COPY --from=engine-host /app/services/converter/dist/ /app/services/converter/dist/',
    '# Fonts as wide as those of Office, made of the fonts above.',
    'RUN --mount=type=bind,from=build,source=/built/converter/packages/fonts,target=/fonts \\\n  ["node", "/fonts/dist/metric-copies/make.js", "/usr/local/share/fonts/scriptorium"]',
  ],
  gateway: [
    '# Otherwise V8 takes up to 128 MiB for new objects, and saves no time with them.',
    'ENV NODE_OPTIONS=--max-semi-space-size=8',
  ],
  verifier: ['COPY --from=second-reader /app/services/verifier/dist/ /app/services/verifier/dist/'],
};

const OWN_IN_PRODUCTION: Partial<Record<ServiceName, OwnLines>> = {
  converter: { others: [`deploy: { replicas: "\${CONVERTERS:-2}" }`] },
  signer: { volumes: [`\${SECRETS_DIR:?a folder of secret files}/signing:/run/signing:ro,z`] },
  verifier: {
    environment: [
      `TRUST_PROFILES: \${TRUST_PROFILES:-}`,
      `TRUSTED_LISTS: "\${TRUSTED_LISTS:-}"`,
      `TRUSTED_LISTS_SIGNERS: "\${TRUSTED_LISTS_SIGNERS:-}"`,
      `TRUSTED_LISTS_FOLDER: "\${TRUSTED_LISTS_FOLDER:-}"`,
    ],
    volumes: [`\${SECRETS_DIR:?a folder of secret files}/trust:/run/trust:ro,z`],
  },
};

function trialOf(service: NamedService): string {
  const { name, networks, memoryInCompose, scaling, jobs, reaches = [] } = service;
  const { environment = [], volumes = [], others = [] }: OwnLines = OWN_IN_TRIAL[name] ?? {};
  const threads = scaling === undefined ? [] : [`${scaling.threads}: \${${scaling.threads}:-2}`];
  const mounts = [`${name}-secrets:/run/secrets:ro`, ...volumes].map((mount) => `"${mount}"`);
  return [
    `${name}:`,
    '  <<: *hardened',
    `  image: \${SCRIPTORIUM_IMAGES:-scriptorium-}${name}:\${SCRIPTORIUM_VERSION:-latest}`,
    '  build:',
    '    <<: *service',
    `    args: { SERVICE: ${name} }`,
    '  environment:',
    '    <<: *settings',
    ...[...threads, ...environment].map((line) => `    ${line}`),
    `  volumes: ${flow(mounts)}`,
    `  networks: ${flow(networks)}`,
    `  mem_limit: ${memoryInCompose}`,
    ...others.map((line) => `  ${line}`),
    '  depends_on:',
    ...(jobs === undefined ? [] : ['    <<: *needs-redis']),
    '    secrets: { condition: service_completed_successfully }',
    ...(reaches.includes('database') ? ['    database: { condition: service_healthy }'] : []),
  ].join('\n');
}

function productionOf({ name }: NamedService): string {
  const { environment = [], volumes = [], others = [] }: OwnLines = OWN_IN_PRODUCTION[name] ?? {};
  const mounts = volumes.map((mount) => `"${mount}"`);
  return [
    `${name}:`,
    '  environment:',
    '    NODE_ENV: production',
    ...environment.map((line) => `    ${line}`),
    `  volumes: ${volumes.length > 0 ? `!override ${flow(mounts)}` : '!reset []'}`,
    `  secrets: [{ source: ${name}, target: scriptorium.env }]`,
    '  depends_on: !override { queue: { condition: service_healthy }, blobs: { condition: service_healthy } }',
    ...others.map((line) => `  ${line}`),
  ].join('\n');
}

/** The stage of `Dockerfile` with the packages and the ports of a service. */
function stageOf({ name, packages = [], internalPort, publicPort }: NamedService): string {
  const isGrouped = packages.some((each) => each.startsWith('@'));
  // Only what the step reads: a change beside it must not install LibreOffice again.
  const script = '--mount=type=bind,source=deploy/docker/packages,target=/docker/packages';
  const groups = '--mount=type=bind,source=deploy/local/requirements.mjs,target=/local/requirements.mjs';
  const mounts = isGrouped ? `${script} \\\n  ${groups}` : script;
  const words = packages.map((word) => (/^[-+]/.test(word) ? `'${word}'` : word));
  const run = `RUN ${mounts} \\\n  /docker/packages/install.sh ${words.join(' ')}`;
  const ports = publicPort === undefined ? internalPort : `${publicPort} ${internalPort}`;
  return [
    `FROM base AS ${name}`,
    ...(packages.length > 0 ? [run] : []),
    ...(OWN_IN_IMAGE[name] ?? []),
    `ENV INTERNAL_PORT=${internalPort}`,
    `EXPOSE ${ports}`,
  ].join('\n');
}

/** The parts of `docker-compose.yml` that name the services, by the words of their marks. */
export function trialParts(): Record<string, string> {
  const owners = [...SERVICE_LIST.map(({ name }) => name), REDIS_VOLUME, 'database'];
  const ofRedis = networksOfRedis();
  return {
    'networks of Redis': `networks: ${flow(ofRedis)}`,
    workers: workers.map(trialOf).join('\n\n'),
    'folders of secrets': owners.map((name) => `- ${name}-secrets:/secrets/${name}`).join('\n'),
    'internal networks': ofRedis.map((name) => `${name}: { internal: true }`).join('\n'),
    'volumes of secrets': owners.map((name) => `${name}-secrets: {}`).join('\n'),
  };
}

/** The same of `compose.production.yml`. */
export function productionParts(): Record<string, string> {
  const files = SERVICE_LIST.map(
    ({ name }) => `${name}: { file: "\${SECRETS_DIR:?a folder of secret files}/${name}.env" }`,
  );
  return { workers: workers.map(productionOf).join('\n\n'), 'files of settings': files.join('\n') };
}

const clients = (): string => withRedis.map(({ name }) => `${name}: *client`).join('\n');
const networksOfRedis = (): string[] => unique(withRedis.flatMap(({ networks }) => networks.slice(0, 1)));

/** The same of `compose.redis-tls.yml`. */
export const tlsParts = (): Record<string, string> => ({ clients: clients() });

/** The same of `compose.redis-copies.yml`. */
export const copiesParts = (): Record<string, string> => ({
  'networks of Redis': `networks: ${flow(networksOfRedis())}`,
  clients: clients(),
});

/** The same of `docker-bake.hcl`. */
export function bakeParts(): Record<string, string> {
  const quoted = SERVICE_LIST.map(({ name }) => `"${name}"`).join(', ');
  return {
    images: `service = [${quoted}]`,
    'published images': `image = [${quoted}, "scriptorium"]`,
  };
}

/** The same of `Dockerfile`. */
export const dockerfileParts = (): Record<string, string> => ({
  stages: SERVICE_LIST.map(stageOf).join('\n\n'),
});
