import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ROLES, type Role } from '@scriptorium/sealing/job-keys';
import { stackEnvironment } from '@scriptorium/testing/stack';
import type { Servers } from './servers.ts';

export const root = resolve(import.meta.dirname, '..', '..');

/** Addresses and folders of the local stack; each is an environment variable with the name in capitals. */
export interface LocalSettings {
  host: string;
  gatewayPort: number;
  telemetryPort: number;
  /** The port of the first service; each of the others has the next one. */
  internalPort: number;
  maildevPort: number;
  smtpPort: number;
  dataDir: string;
}

/** Only Linux supports the converter's sandbox; elsewhere it starts only if the settings permit that. */
export const isSandboxable = process.platform === 'linux';

function sandboxSetting(): Record<string, string> {
  return isSandboxable ? {} : { SANDBOX: 'degraded' };
}

/** A process of Scriptorium's own. */
export interface LocalService {
  name: string;
  environment(settings: LocalSettings): Record<string, string>;
}

/** In start order; they stop in reverse. To add a service, add one entry here. */
export const services: readonly LocalService[] = [
  {
    name: 'converter',
    environment: ({ dataDir }) => ({ ...sandboxSetting(), ...jobSecrets(dataDir, ['converter']) }),
  },
  { name: 'annotator', environment: ({ dataDir }) => jobSecrets(dataDir, ['annotator']) },
  {
    name: 'signer',
    environment: ({ dataDir }) => ({
      SIGNER_SECRET: signerSecret(dataDir),
      ...jobSecrets(dataDir, ['signer']),
      DEVELOPMENT_KEY_DIR: join(dataDir, 'signing'),
    }),
  },
  {
    name: 'verifier',
    environment: ({ dataDir }) => ({
      VERIFIER_SECRET: verifierSecret(dataDir),
      ...jobSecrets(dataDir, ['verifier']),
    }),
  },
  {
    name: 'gateway',
    environment: ({ host, gatewayPort, maildevPort, dataDir }) => ({
      HOST: host,
      PORT: String(gatewayPort),
      DRAIN_MS: '0',
      MAIL_FROM: 'Scriptorium <no-reply@localhost>',
      SERVICE_KEY_FOR: 'everyone',
      TRIAL: 'on',
      MAILBOX_URL: `http://127.0.0.1:${maildevPort}/`,
      CODE_PEPPER: keptSecret(join(dataDir, 'code-pepper')),
      SIGNER_SECRET: signerSecret(dataDir),
      VERIFIER_SECRET: verifierSecret(dataDir),
      ...jobSecrets(dataDir, ROLES),
    }),
  },
  {
    name: 'telemetry',
    environment: ({ host, telemetryPort }) => ({ HOST: host, PORT: String(telemetryPort), DRAIN_MS: '0' }),
  },
];

/** The order of the services' own default ports. */
const INTERNAL_ORDER = ['gateway', 'converter', 'annotator', 'signer', 'telemetry', 'verifier'];

/** Where a service serves `/metrics`, `/livez` and `/readyz`. */
export function internalPortOf(service: LocalService, { internalPort }: LocalSettings): number {
  return internalPort + INTERNAL_ORDER.indexOf(service.name);
}

/** Arguments that run a service from its sources: with `watches`, again after each change of one of them. */
export function programOf({ name }: LocalService, watches: boolean): string[] {
  return [
    '--conditions=source',
    '--disable-warning=ExperimentalWarning',
    ...(watches ? ['--watch', '--watch-preserve-output'] : []),
    join(root, 'services', name, 'src', 'main.ts'),
  ];
}

/** A service's environment; the user's variables are passed on, except those that name other servers. */
export function environmentOf(
  service: LocalService,
  servers: Servers,
  settings: LocalSettings,
): Record<string, string | undefined> {
  return {
    LOG_LEVEL: 'info',
    WARM_UP: 'later',
    // As in the images: freed memory is overwritten.
    GLIBC_TUNABLES: 'glibc.malloc.perturb=165',
    ...process.env,
    NODE_ENV: 'development',
    ...stackEnvironment(servers),
    ...redisAddresses(service, servers, settings),
    INTERNAL_HOST: '127.0.0.1',
    INTERNAL_PORT: String(internalPortOf(service, settings)),
    ...service.environment(settings),
  };
}

const signerSecret = (dataDir: string): string => keptSecret(join(dataDir, 'signer-secret'));
const verifierSecret = (dataDir: string): string => keptSecret(join(dataDir, 'verifier-secret'));

/** The secrets of the jobs of these workers. */
const jobSecrets = (dataDir: string, roles: readonly Role[]): Record<string, string> =>
  Object.fromEntries(
    roles.map((role) => [
      `${role.toUpperCase()}_JOB_SECRET`,
      keptSecret(join(dataDir, `${role}-job-secret`)),
    ]),
  );

const redisPassword = (dataDir: string, user: string): string =>
  keptSecret(join(dataDir, `redis-${user}-password`));

const hashOf = (password: string): string => `#${createHash('sha256').update(password).digest('hex')}`;

/** The users of Redis, as in the containers: words of `user` lines. */
export function redisUsers(dataDir: string): string[][] {
  const file = readFileSync(join(root, 'deploy/docker/redis-users.acl'), 'utf8');
  return file
    .trim()
    .split('\n')
    .map((line) => {
      const [, ...words] = line
        .replace(/PASSWORD_(\w+)/, (_, user) => hashOf(redisPassword(dataDir, user)))
        .split(' ');
      return words;
    });
}

/** The addresses of Redis with the user of a service. Telemetry services do not use Redis. */
function redisAddresses({ name }: LocalService, servers: Servers, { dataDir }: LocalSettings) {
  if (name === 'telemetry') return { REDIS_URL: undefined, REDIS_BLOB_URL: undefined };
  const user = `?${new URLSearchParams({ username: name, password: redisPassword(dataDir, name) })}`;
  return { REDIS_URL: servers.redisUrl + user, REDIS_BLOB_URL: servers.redisBlobUrl + user };
}

/** A random secret that is kept between starts. A full disk leaves no half of one. */
function keptSecret(file: string): string {
  if (!existsSync(file)) {
    // The first start has no folder yet.
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, randomBytes(32).toString('hex'), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}

/** A failure that the user can fix; reported without a stack. */
export class StartError extends Error {}

function port(name: string, fallback: number): number {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 65_535) return value;
  throw new StartError(`${name}=${text} is not a port. Use a whole number from 1 to 65535.`);
}

export function readSettings(): LocalSettings {
  return {
    host: process.env.GATEWAY_HOST || '127.0.0.1',
    gatewayPort: port('GATEWAY_PORT', 8080),
    telemetryPort: port('TELEMETRY_PORT', 8081),
    internalPort: port('INTERNAL_PORT', 9464),
    maildevPort: port('MAILDEV_PORT', 8025),
    smtpPort: port('SMTP_PORT', 1025),
    dataDir: resolve(root, process.env.DATA_DIR || '.data'),
  };
}
