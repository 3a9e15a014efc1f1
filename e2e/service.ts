import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  JOB_SECRETS,
  ROLES,
  type Role,
  SERVICE_LIST,
  type ServiceName,
} from '@scriptorium/contracts/services';
import { mailsTo } from '@scriptorium/testing/mail';
import { type RedisOptions, type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { freePort } from '@scriptorium/testing/server-process';
import { ownSettings, REDIS_ARGUMENTS } from './own-settings.ts';

/** Below the time limit of a test, to name what did not happen. */
const READY_MS_MAX = 150_000;
const rootFolder = fileURLToPath(new URL('..', import.meta.url));

/** A service that runs as its own process, as in production. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  /** Its log so far. */
  log(): string;
  /** Sends the signal and waits for the end; resolves with the exit code or the signal's name. */
  end(signal: NodeJS.Signals): Promise<number | string | null>;
}

/** Runs what was built, as the images do. `wrapper` is a program with arguments that becomes the service. */
export function startService(
  name: ServiceName,
  settings: Record<string, string>,
  wrapper: readonly string[] = [],
): ServiceProcess {
  const [program = '', ...words] = [...wrapper, process.execPath];
  const child = spawn(program, [...words, `services/${name}/dist/main.js`], {
    cwd: rootFolder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'test',
      // As in the images: freed memory is overwritten.
      GLIBC_TUNABLES: 'glibc.malloc.perturb=165',
      LOG_LEVEL: 'info',
      INTERNAL_PORT: '0',
      ...ownSettings(name, settings),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout?.on('data', (data) => {
    text += data;
  });
  child.stderr?.on('data', (data) => {
    text += data;
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code));
  });
  return {
    child,
    log: () => text,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Processes that have started and are alive. */
export function inService(processes: readonly ServiceProcess[]): ServiceProcess[] {
  return processes.filter(
    ({ child, log }) => child.exitCode === null && child.signalCode === null && log().includes('"ready"'),
  );
}

/** A gateway or a collector, with its address. */
export interface ListeningProcess extends ServiceProcess {
  readonly url: string;
  readonly port: number;
}

/** Starts another worker, and waits until it takes jobs. */
type AddWorker = (settings?: Record<string, string>, wrapper?: readonly string[]) => Promise<ServiceProcess>;

/** The workers of each kind, such as `converters`, and what starts another one, such as `addConverter`. */
type Workers = Record<`${Role}s`, ServiceProcess[]> & Record<`add${Capitalize<Role>}`, AddWorker>;

export interface Deployment extends Workers {
  /** Address of the first gateway. */
  url: string;
  redis: RedisServer;
  settings: Record<string, string>;
  /** The first of the gateways. */
  gateway: ListeningProcess;
  gateways: ListeningProcess[];
  /** Starts another gateway, and waits until it is ready. */
  addGateway(): Promise<ListeningProcess>;
  /** Registers a new address by mail, as a user would. */
  register(): Promise<string>;
  convert(
    key: string,
    file: Uint8Array,
    name?: string,
    options?: { query?: string; accept?: string },
  ): Promise<Response>;
  close(): Promise<void>;
}

/** One converter and one gateway by default, and no others. All signers sign with the same development key. */
export interface DeployOptions extends Partial<Record<`${Role}s` | 'gateways', number>> {
  settings?: Record<string, string>;
  /** By default a server on a private socket. */
  redis?: RedisOptions;
  /** The services' address of that Redis, if it is not its own address. */
  redisUrl?(redis: RedisServer): Promise<string>;
}

/** A deployment with a worker of each kind. */
export const ONE_OF_EACH = Object.fromEntries(ROLES.map((role) => [`${role}s`, 1])) as Record<
  `${Role}s`,
  number
>;

export interface Health {
  status: string;
  checks: { database: string; sandbox: string; secondReader: string } & Record<`${Role}s`, number>;
}

export async function health(url: string): Promise<Health> {
  return (await (await fetch(`${url}/v1/health`)).json()) as Health;
}

/** Polls until the condition holds; throws after `ms`. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  ms = READY_MS_MAX,
): Promise<void> {
  const end = Date.now() + ms;
  // Growing pauses: a condition may cost as much as a document.
  for (let pause = 20; Date.now() < end; pause = Math.min(pause * 1.4, 500)) {
    if (await Promise.resolve(condition()).catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  throw new Error(`${what} did not happen within ${ms} ms`);
}

/** Gateways and workers as real processes on a separate Redis, with the run's PostgreSQL and mail catcher. */
export async function deploy(options: DeployOptions = {}): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'scriptorium-e2e-'));
  const { args = [], ...server } = options.redis ?? { socket: join(folder, 'redis.sock') };
  const redis = await startRedis({ ...server, args: [...args, ...REDIS_ARGUMENTS] });
  const settings: Record<string, string> = {
    REDIS_URL: (await options.redisUrl?.(redis)) ?? redis.url,
    DATABASE_URL: process.env.DATABASE_URL ?? '',
    SMTP_URL: process.env.SMTP_URL ?? '',
    CODE_PEPPER: randomBytes(24).toString('hex'),
    SERVICE_KEY_FOR: 'everyone',
    REGISTRATIONS_PER_HOUR_MAX: '100000',
    ...Object.fromEntries(SERVICE_LIST.flatMap(({ scaling }) => (scaling ? [[scaling.threads, '1']] : []))),
    SIGNER_SECRET: randomBytes(32).toString('hex'),
    VERIFIER_SECRET: randomBytes(32).toString('hex'),
    ...Object.fromEntries(Object.values(JOB_SECRETS).map((name) => [name, randomBytes(32).toString('hex')])),
    DEVELOPMENT_KEY_DIR: join(folder, 'signing'),
    DRAIN_MS: '0',
    ...options.settings,
  };
  const gateway = await startListening('gateway', settings);
  const { url } = gateway;
  const addWorker = async (
    name: Role,
    workers: ServiceProcess[],
    more: Record<string, string> = {},
    wrapper: readonly string[] = [],
  ): Promise<ServiceProcess> => {
    const { SIGNER_SECRET, DEVELOPMENT_KEY_DIR, ...others } = settings;
    const own = name === 'signer' ? settings : others;
    const worker = startService(name, { ...own, ...more }, wrapper);
    workers.push(worker);
    await until(`the ${name} is ready`, () => worker.log().includes('"ready"')).catch((error) => {
      throw new Error(`${error.message}; log: ${worker.log()}`);
    });
    return worker;
  };
  const workers = Object.fromEntries(
    ROLES.flatMap((role) => {
      const running: ServiceProcess[] = [];
      const add: AddWorker = (more, wrapper) => addWorker(role, running, more, wrapper);
      return [
        [`${role}s`, running],
        [adder(role), add],
      ];
    }),
  ) as Workers;
  const deployment: Deployment = {
    ...workers,
    url,
    redis,
    settings,
    gateway,
    gateways: [gateway],
    async addGateway() {
      const further = await startListening('gateway', settings);
      deployment.gateways.push(further);
      await untilReady(further);
      return further;
    },
    register: () => register(url),
    convert: (key, file, name, options) => postDocument(url, key, file, name, options),
    async close() {
      await Promise.all(
        [...deployment.gateways, ...ROLES.flatMap((role) => deployment[`${role}s`])].map((service) =>
          service.end('SIGTERM'),
        ),
      );
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await startAll(deployment, options);
  } catch (error) {
    await deployment.close();
    throw error;
  }
  return deployment;
}

/** The name of the function of a deployment that starts another worker of a kind. */
const adder = <Worker extends Role>(role: Worker) =>
  `add${role.charAt(0).toUpperCase()}${role.slice(1)}` as `add${Capitalize<Worker>}`;

async function startAll(deployment: Deployment, options: DeployOptions): Promise<void> {
  const { gateways = 1 } = options;
  const numberOf = (role: Role): number => options[`${role}s`] ?? (role === 'converter' ? 1 : 0);
  await untilReady(deployment.gateway);
  await Promise.all([
    ...Array.from({ length: gateways - 1 }, () => deployment.addGateway()),
    ...ROLES.flatMap((role) => Array.from({ length: numberOf(role) }, () => deployment[adder(role)]())),
  ]);
  await until('the gateway knows of every worker', async () => {
    const { checks } = await health(deployment.url);
    return ROLES.every((role) => checks[`${role}s`] >= numberOf(role));
  });
}

/** Starts it on a free port; `untilReady` waits for it. */
export async function startListening(
  name: 'gateway' | 'telemetry',
  settings: Record<string, string>,
): Promise<ListeningProcess> {
  const port = await freePort();
  const service = startService(name, { ...settings, PORT: String(port) });
  return Object.assign(service, { url: `http://127.0.0.1:${port}`, port });
}

export function untilReady({ url }: ListeningProcess): Promise<void> {
  return until('it is ready', async () => (await fetch(`${url}/readyz`)).ok);
}

/** Requests the PDF of a document from a gateway, or from a proxy in front of it. */
export function postDocument(
  url: string,
  key: string,
  file: Uint8Array,
  name = 'letter.docx',
  { query = 'from=docx', accept = '*/*' }: { query?: string; accept?: string } = {},
): Promise<Response> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(file)]), name);
  const headers = { authorization: `Bearer ${key}`, accept };
  return fetch(`${url}/v1/convert?${query}`, { method: 'POST', headers, body: form });
}

async function register(url: string): Promise<string> {
  const email = `e2e-${randomBytes(6).toString('hex')}@example.com`;
  await fetch(`${url}/v1/auth/register?email=${email}`);
  let code: string | undefined;
  await until('the code comes by mail', async () => {
    code = /code: (\d{6})/.exec((await mailsTo(email))[0]?.text ?? '')?.[1];
    return code !== undefined;
  });
  const answer = await fetch(`${url}/v1/auth/verify?email=${email}&code=${code}`);
  return (await answer.json()) as string;
}
