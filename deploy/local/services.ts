import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  jobSecretsOf,
  type NamedService,
  SERVICE_LIST,
  SERVICES,
  type ServiceName,
} from '@scriptorium/contracts/services';
import { stackEnvironment } from '@scriptorium/testing/stack';
import type { Servers } from './servers.ts';

export const root = resolve(import.meta.dirname, '..', '..');

/** Addresses and folders of the local stack; each is an environment variable with the name in capitals. */
export interface LocalSettings {
  host: string;
  gatewayPort: number;
  telemetryPort: number;
  /** The internal port of the gateway. The others have the next ones, in the order of their own default ports. */
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

/** Settings that only some services have here, beside those of the table. */
const OWN_SETTINGS: Partial<Record<ServiceName, (settings: LocalSettings) => Record<string, string>>> = {
  converter: sandboxSetting,
  signer: ({ dataDir }) => ({ DEVELOPMENT_KEY_DIR: join(dataDir, 'signing') }),
  gateway: ({ host, gatewayPort, maildevPort }) => ({
    HOST: host,
    PORT: String(gatewayPort),
    DRAIN_MS: '0',
    MAIL_FROM: 'Scriptorium <no-reply@localhost>',
    SERVICE_KEY_FOR: 'everyone',
    TRIAL: 'on',
    MAILBOX_URL: `http://127.0.0.1:${maildevPort}/`,
    // As in the image.
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=8`.trim(),
  }),
  telemetry: ({ host, telemetryPort }) => ({ HOST: host, PORT: String(telemetryPort), DRAIN_MS: '0' }),
};

/** In start order: workers first. They stop in reverse. */
export const services: readonly NamedService[] = [
  ...SERVICE_LIST.filter(({ jobs }) => jobs === 'takes'),
  ...SERVICE_LIST.filter(({ jobs }) => jobs !== 'takes'),
];

/** Where a service serves `/metrics`, `/livez` and `/readyz`. */
export function internalPortOf(service: NamedService, { internalPort }: LocalSettings): number {
  return internalPort + service.internalPort - SERVICES.gateway.internalPort;
}

/** Arguments that run a service from its sources: with `watches`, again after each change of one of them. */
export function programOf({ name }: NamedService, watches: boolean): string[] {
  return [
    '--conditions=source',
    '--disable-warning=ExperimentalWarning',
    ...(watches ? ['--watch', '--watch-preserve-output'] : []),
    join(root, 'services', name, 'src', 'main.ts'),
  ];
}

/** A service's environment; the user's variables are passed on, except those that name other servers. */
export function environmentOf(
  service: NamedService,
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
    ...keptSecrets(service, settings),
    ...OWN_SETTINGS[service.name]?.(settings),
  };
}

/** The secrets of a service, each in a file that all services with it share. */
function keptSecrets(service: NamedService, { dataDir }: LocalSettings): Record<string, string> {
  const { secrets = [], optionalSecrets = [] } = service;
  const names = [...secrets, ...optionalSecrets, ...jobSecretsOf(service)];
  const fileOf = (name: string) => join(dataDir, name.toLowerCase().replaceAll('_', '-'));
  return Object.fromEntries(names.map((name) => [name, keptSecret(fileOf(name))]));
}

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

/** The addresses of Redis with the user of a service, if it uses Redis. */
function redisAddresses({ name, jobs }: NamedService, servers: Servers, { dataDir }: LocalSettings) {
  if (jobs === undefined) return { REDIS_URL: undefined, REDIS_BLOB_URL: undefined };
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
