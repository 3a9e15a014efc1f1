import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerError } from '@scriptorium/testing/server-process';
import { QUEUE_SOCKET, type Stack, socketFolder, startStack } from '@scriptorium/testing/stack';
import {
  environmentOf,
  internalPortOf,
  isSandboxable,
  type LocalSettings,
  mainOf,
  readSettings,
  redisUsers,
  StartError,
  services,
  watched,
} from './services.ts';
import { type Supervised, supervise } from './supervise.ts';
import { welcome } from './welcome.ts';

const HEALTHY_MS_MAX = 120_000;
const MIB = 1024 * 1024;
/** What a new database takes on the disk, and what it needs to start later. */
const NEW_DATA_MIB = 64;
const KEPT_DATA_MIB = 8;
/** Runs the sources, and starts a service again when one of its files changes. */
const isWatching = process.argv.includes('--watch');

async function requireFreePort(host: string, port: number, setting: string): Promise<void> {
  const probe = createServer();
  try {
    probe.listen(port, host);
    await once(probe, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isAddress = code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL' || code === 'EAI_AGAIN';
    if (isAddress)
      throw new StartError(
        `${host} is not an address of this machine (${code}). Choose one: GATEWAY_HOST=127.0.0.1 npm start`,
      );
    const [why, how] =
      code === 'EADDRINUSE'
        ? ['is taken by another program', 'Stop that program, or choose']
        : [`cannot be opened (${code})`, 'Choose'];
    throw new StartError(`${host}:${port} ${why}. ${how} another port: ${setting}=<port> npm start`);
  }
  probe.close();
  await once(probe, 'close');
}

/** The database and the secrets are there. */
function requireRoom(dataDir: string): void {
  const other = 'Choose another folder: DATA_DIR=<folder> npm start';
  try {
    mkdirSync(dataDir, { recursive: true });
    const { bavail, bsize } = statfsSync(dataDir);
    const needed = existsSync(join(dataDir, 'postgres', 'cluster')) ? KEPT_DATA_MIB : NEW_DATA_MIB;
    const free = Math.floor((bavail * bsize) / MIB);
    if (free < needed)
      throw new StartError(
        `The disk of ${dataDir} is full: ${free} MiB are free, and ${needed} MiB are needed. ${other}`,
      );
    writeFileSync(join(dataDir, 'probe'), '');
    rmSync(join(dataDir, 'probe'));
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${dataDir} cannot be written (${(error as NodeJS.ErrnoException).code}). ${other}`);
  }
}

/** Two stacks on one folder would use each other's sockets and data. */
async function requireUnusedFolder(dataDir: string): Promise<void> {
  const socket = createConnection(join(socketFolder(dataDir), QUEUE_SOCKET));
  const inUse = await Promise.race([
    once(socket, 'connect').then(
      () => true,
      () => false,
    ),
    sleep(1_000, true),
  ]);
  socket.destroy();
  if (inUse) {
    throw new StartError(
      `Scriptorium is already running on ${dataDir}. Stop it, or choose another folder with DATA_DIR.`,
    );
  }
}

async function checkBefore(settings: LocalSettings): Promise<void> {
  await requireUnusedFolder(settings.dataDir);
  requireRoom(settings.dataDir);
  await requireFreePort(settings.host, settings.gatewayPort, 'GATEWAY_PORT');
  await requireFreePort(settings.host, settings.telemetryPort, 'TELEMETRY_PORT');
  await requireFreePort('127.0.0.1', settings.maildevPort, 'MAILDEV_PORT');
  await requireFreePort('127.0.0.1', settings.smtpPort, 'SMTP_PORT');
  for (const service of services) {
    await requireFreePort('127.0.0.1', internalPortOf(service, settings), 'INTERNAL_PORT');
    if (!existsSync(mainOf(service))) throw new StartError(`${mainOf(service)} was not built.`);
  }
}

/** Waits until a service reports that it is healthy. */
async function waitUntilHealthy(baseUrl: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + HEALTHY_MS_MAX;
  let last = 'no response';
  let reportedAt = Date.now();
  while (!signal.aborted) {
    try {
      const answer = await fetch(`${baseUrl}/v1/health`, { signal: AbortSignal.timeout(3_000) });
      last = await answer.text();
      if ((JSON.parse(last) as { status: string }).status === 'healthy') return;
    } catch (error) {
      last = `no response (${error})`;
    }
    if (Date.now() > deadline) throw new StartError(`Not healthy within ${HEALTHY_MS_MAX / 1000} s: ${last}`);
    if (Date.now() - reportedAt > 5_000) {
      console.log(`Waiting for the services … ${last}`);
      reportedAt = Date.now();
    }
    await sleep(100);
  }
}

async function run(): Promise<void> {
  const settings = readSettings();
  const stopping = new AbortController();
  const running: Supervised[] = [];
  let stack: Stack | undefined;
  const stopServices = async () => {
    for (const service of [...running].reverse()) await service.stop();
  };
  const onSignal = () => {
    if (stopping.signal.aborted) {
      // Second request: do not wait. The servers' guards end the rest.
      for (const service of running) void service.kill();
      return;
    }
    console.log('\nStopping …');
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    await checkBefore(settings);
    stack = await startStack({
      folder: settings.dataDir,
      smtpPort: settings.smtpPort,
      webPort: settings.maildevPort,
      redisUsers: redisUsers(settings.dataDir),
    });
    const logs = join(settings.dataDir, 'logs');
    // For registering licenses: the port changes with each start.
    writeFileSync(join(settings.dataDir, 'database-url'), stack.databaseUrl, { mode: 0o600 });
    for (const service of services) {
      if (stopping.signal.aborted) break;
      const env = environmentOf(service, stack, settings);
      const program = isWatching ? watched(service) : ['--enable-source-maps', mainOf(service)];
      running.push(supervise(service.name, program, env, logs));
    }
    const host = settings.host === '0.0.0.0' || settings.host === '::' ? '127.0.0.1' : settings.host;
    const urlOf = (port: number) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
    const [baseUrl, telemetryUrl] = [urlOf(settings.gatewayPort), urlOf(settings.telemetryPort)];
    const metrics = services.map((service): [string, string] => [
      service.name,
      `http://127.0.0.1:${internalPortOf(service, settings)}/metrics`,
    ]);
    await waitUntilHealthy(baseUrl, stopping.signal);
    await waitUntilHealthy(telemetryUrl, stopping.signal);
    if (!stopping.signal.aborted)
      console.log(welcome({ baseUrl, telemetryUrl, mailUrl: stack.maildevUrl, metrics, logs }));
    if (!stopping.signal.aborted && !isSandboxable)
      console.log(
        'Documents are not sandboxed on this system (SANDBOX=degraded): convert only documents that you trust.\n',
      );
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  } finally {
    stopping.abort();
    await stopServices();
    await stack?.stop();
  }
  console.log('Stopped.');
}

try {
  await run();
  process.exit(0);
} catch (error) {
  const isOfMachine = error instanceof StartError || error instanceof ServerError;
  console.error(`\n${isOfMachine ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
