/** A service, as all that starts, connects, watches or describes services needs it. */
export interface Service {
  /** For the documents: what it does, and what it keeps between requests. */
  work: string;
  keeps: string;
  /** The port of `/metrics`, `/livez` and `/readyz`. The probes of all services are the same. */
  internalPort: number;
  /** The port of callers. */
  publicPort?: number;
  /** It sends jobs to all workers, with the secret of each, or it takes those of its own role. Neither needs no Redis. */
  jobs?: 'sends' | 'takes';
  /** What it reaches besides Redis. Each is an egress rule, and PostgreSQL and the mail server also an address. */
  reaches?: readonly ('database' | 'mail' | 'internet')[];
  /** Its secrets besides those of jobs and addresses, by their settings. */
  secrets?: readonly string[];
  /** The same, without which it starts and refuses some work. */
  optionalSecrets?: readonly string[];
  /** Its networks in Docker Compose. The first is that of Redis, if it uses Redis. */
  networks: readonly string[];
  memoryInCompose: string;
  /** What its image has besides Node, as words of `deploy/docker/packages/install.sh`. */
  packages?: readonly string[];
  /** How Kubernetes runs a service that scales by its jobs. */
  scaling?: Scaling;
}

export interface Scaling {
  /** The setting with the number of jobs that a process runs at a time. */
  threads: string;
  podsMax: number;
  /** The number of pods while Redis is unavailable. */
  podsWithoutRedis: number;
  /** The CPU and the memory that a pod requests, and the memory that it may use. */
  resources: readonly [cpu: string, memory: string, memoryMax: string];
}

/** The second fonts of East Asia: pages of our own take the first. */
const NO_SERIF = '-/usr/share/fonts/opentype/noto/NotoSerifCJK-*';

/** All services. A recipe of `docs/contributing/recipes.md` says what a further one needs. */
export const SERVICES = {
  gateway: {
    work: 'HTTP, API keys, limits, e-mail codes, fetching of URLs, usage queries',
    keeps: 'Nothing between requests',
    internalPort: 9464,
    publicPort: 8080,
    jobs: 'sends',
    reaches: ['database', 'mail', 'internet'],
    secrets: ['CODE_PEPPER'],
    optionalSecrets: ['SIGNER_SECRET', 'VERIFIER_SECRET'],
    networks: ['queue', 'database', 'outside'],
    memoryInCompose: '2g',
  },
  converter: {
    work: 'Sanitizes a document and converts it with LibreOffice',
    keeps: 'A warm LibreOffice',
    internalPort: 9465,
    jobs: 'takes',
    networks: ['converters'],
    memoryInCompose: '4g',
    packages: ['fontconfig', '@office', '@font', '@hyphenation'],
    scaling: {
      threads: 'ENGINES',
      podsMax: 20,
      podsWithoutRedis: 4,
      resources: ['2', '2Gi', '5Gi'],
    },
  },
  annotator: {
    work: 'Fills and inspects DOCX templates, merges DOCX, joins PDF',
    keeps: 'A cache of templates',
    internalPort: 9466,
    jobs: 'takes',
    networks: ['annotators'],
    memoryInCompose: '2g',
    // Fonts for PDF forms, and for the text of SVG images.
    packages: ['fontconfig', '@font', NO_SERIF],
    scaling: {
      threads: 'ANNOTATORS',
      podsMax: 10,
      podsWithoutRedis: 2,
      resources: ['1', '768Mi', '3Gi'],
    },
  },
  signer: {
    work: 'Signs PDF and DOCX',
    keeps: 'Signing keys',
    internalPort: 9467,
    jobs: 'takes',
    reaches: ['internet'],
    optionalSecrets: ['SIGNER_SECRET'],
    networks: ['queue', 'outside'],
    memoryInCompose: '2g',
    // For the pages of the audit trail, in any script.
    packages: ['@font', NO_SERIF],
    scaling: {
      threads: 'SIGNERS',
      podsMax: 10,
      podsWithoutRedis: 2,
      resources: ['1', '768Mi', '3Gi'],
    },
  },
  // It reads hostile documents: it has no key, and secrets that open only what is on its way to it.
  // In Docker Compose it shares no network with another service.
  verifier: {
    work: 'Verifies the signatures of PDF and DOCX',
    keeps: 'No key, and no secret except `VERIFIER_SECRET`',
    internalPort: 9469,
    jobs: 'takes',
    reaches: ['internet'],
    optionalSecrets: ['VERIFIER_SECRET'],
    networks: ['verifiers', 'authorities'],
    memoryInCompose: '2g',
    // Poppler, and fonts for it and for reports as PDF, in any script.
    packages: ['fontconfig', '@reader', '@font', NO_SERIF],
    scaling: {
      threads: 'VERIFIERS',
      podsMax: 10,
      podsWithoutRedis: 2,
      resources: ['1', '768Mi', '3Gi'],
    },
  },
  telemetry: {
    work: 'Accepts document opens (collector) and counts them (consumer)',
    keeps: 'Opens on their way to PostgreSQL',
    internalPort: 9468,
    publicPort: 8081,
    reaches: ['database'],
    networks: ['database', 'outside'],
    memoryInCompose: '512m',
  },
} as const satisfies Record<string, Service>;

type Services = typeof SERVICES;
export type ServiceName = keyof Services;

/** The services with jobs of this kind. */
type WithJobs<Kind> = {
  [Name in ServiceName]: Services[Name] extends { jobs: Kind } ? Name : never;
}[ServiceName];

/** The kinds of workers. Each kind shares one secret with the gateways. */
export type Role = WithJobs<'takes'>;
/** Services with a user of Redis. */
export type RedisUser = WithJobs<'sends' | 'takes'>;
/** The setting with the secret of the jobs of a role. */
export type JobSecret = `${Uppercase<Role>}_JOB_SECRET`;

export interface NamedService extends Service {
  name: ServiceName;
}

/** The services, for loops. */
export const SERVICE_LIST: readonly NamedService[] = Object.entries(SERVICES).map(([name, service]) => ({
  name: name as ServiceName,
  ...service,
}));
export const SERVICE_NAMES = SERVICE_LIST.map(({ name }) => name);

const withJobs = (...kinds: Service['jobs'][]): ServiceName[] =>
  SERVICE_LIST.filter(({ jobs }) => kinds.includes(jobs)).map(({ name }) => name);
export const ROLES = withJobs('takes') as Role[];
export const REDIS_USERS = withJobs('sends', 'takes') as RedisUser[];

export const JOB_SECRETS = Object.fromEntries(
  ROLES.map((role) => [role, `${role.toUpperCase()}_JOB_SECRET`]),
) as Record<Role, JobSecret>;

/** Returns the settings with the secrets of jobs that a service has. */
export function jobSecretsOf({ name, jobs }: NamedService): JobSecret[] {
  if (jobs === undefined) return [];
  return jobs === 'sends' ? Object.values(JOB_SECRETS) : [JOB_SECRETS[name as Role]];
}
