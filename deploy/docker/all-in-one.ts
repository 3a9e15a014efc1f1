// Runs all that documents need in one container, as the image `scriptorium`: for trials and small loads.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NamedService } from '@scriptorium/contracts/services';
import { preparePostgres } from '@scriptorium/testing/postgres-server';
import { startRedis } from '@scriptorium/testing/redis-server';
import { ServerError } from '@scriptorium/testing/server-process';
import { checkContainer, noteOfRoom } from '../local/checks.ts';
import {
  environmentOf,
  type LocalSettings,
  readSettings,
  redisUsers,
  root,
  StartError,
  services,
} from '../local/services.ts';
import { type Supervised, supervise } from '../local/supervise.ts';
import { waitUntilHealthy } from '../local/wait-until-healthy.ts';

const KEY = /^scr_[0-9A-Za-z]{39}$/;

/** The compiled program of a service. */
const programOf = (name: string): string[] => [
  '--enable-source-maps',
  join(root, 'services', name, 'dist', 'main.js'),
];

/** Writes the key of `API_KEY`, or a new one if there is none. Returns the file, and the key if it is new. */
async function keepKey({ dataDir }: LocalSettings): Promise<{ file: string; drawn?: string }> {
  const file = join(dataDir, 'api-key');
  const { API_KEY: given } = process.env;
  if (given) {
    if (!KEY.test(given))
      throw new StartError(
        'API_KEY does not have the form of an API key. Leave it out: then this container draws one and shows it.',
      );
    writeFileSync(file, given, { mode: 0o600 });
    return { file };
  }
  if (existsSync(file)) return { file };
  const draw = join(root, 'services/gateway/dist/keys.js');
  const drawn = (await promisify(execFile)(process.execPath, [draw, 'draw'])).stdout.trim();
  writeFileSync(file, drawn, { mode: 0o600 });
  return { file, drawn };
}

async function startServers(settings: LocalSettings) {
  const { dataDir } = settings;
  const args = redisUsers(dataDir).flatMap((words) => ['--user', ...words]);
  const redis = (name: string) => startRedis({ socket: join('/tmp', `${name}.sock`), args });
  const onEnd = (reason: string) =>
    console.error(`[postgres] ${reason} It is started again.${noteOfRoom(dataDir)}`);
  const [postgres, queue, blobs] = await Promise.all([
    preparePostgres({ folder: join(dataDir, 'postgres'), onEnd }),
    redis('queue'),
    redis('blobs'),
  ]);
  return {
    startPostgres: postgres.start,
    addresses: { redisUrl: queue.url, redisBlobUrl: blobs.url, databaseUrl: postgres.url },
    stop: async () => void (await Promise.all([queue, blobs, postgres].map((server) => server.stop()))),
  };
}

type StoppableServers = Awaited<ReturnType<typeof startServers>>;

function startServices(settings: LocalSettings, { addresses }: StoppableServers, keyFile: string) {
  const noMail = { smtpUrl: '', maildevUrl: '' };
  const gateway = {
    REGISTRATION: 'closed',
    BOOTSTRAP_API_KEY_FILE: keyFile,
    TRIAL: process.env.TRIAL ?? 'off',
    SMTP_URL: undefined,
    MAILBOX_URL: undefined,
  };
  const start = (service: NamedService): Supervised => {
    const env = {
      ...environmentOf(service, { ...addresses, ...noMail }, settings),
      ...(service.name === 'gateway' ? gateway : {}),
    };
    return supervise(service.name, programOf(service.name), env, (chunk) => process.stdout.write(chunk));
  };
  return services.filter(({ jobs }) => jobs !== undefined).map(start);
}

async function run(): Promise<void> {
  const settings = readSettings();
  await checkContainer(settings);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  const [{ file, drawn }, servers] = await Promise.all([keepKey(settings), startServers(settings)]);
  const running = startServices(settings, servers, file);
  await servers.startPostgres();
  await waitUntilHealthy(`http://127.0.0.1:${settings.gatewayPort}`, stopping.signal);
  if (drawn !== undefined) console.log(`The API key of this container, shown once: ${drawn}`);
  console.log(`Scriptorium takes calls at port ${settings.gatewayPort}, for trials and small loads.`);
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  await Promise.all(running.map((service) => service.stop()));
  await servers.stop();
}

try {
  await run();
  process.exit(0);
} catch (error) {
  const isOfMachine = error instanceof StartError || error instanceof ServerError;
  console.error(isOfMachine ? error.message : (error as Error).stack);
  process.exit(1);
}
