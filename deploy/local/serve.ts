import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerError } from '@scriptorium/testing/server-process';
import { checkBefore, noteOfRoom } from './checks.ts';
import { buildPage, dropOldPage } from './page.ts';
import { type LocalServers, prepareServers } from './servers.ts';
import {
  environmentOf,
  internalPortOf,
  isSandboxable,
  programOf,
  readSettings,
  redisUsers,
  StartError,
  services,
} from './services.ts';
import { logTo, type Supervised, supervise } from './supervise.ts';
import { waitUntilHealthy } from './wait-until-healthy.ts';
import { welcome } from './welcome.ts';

/** Runs the sources, and starts a service again when one of its files changes. */
const isWatching = process.argv.includes('--watch');

async function run(): Promise<void> {
  const settings = readSettings();
  const stopping = new AbortController();
  const running: Supervised[] = [];
  let servers: LocalServers | undefined;
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
    servers = await prepareServers(settings, redisUsers(settings.dataDir), (name, reason) =>
      console.error(`[${name}] ${reason}\nIt is started again until it runs.${noteOfRoom(settings.dataDir)}`),
    );
    const logs = join(settings.dataDir, 'logs');
    // For registering licenses: the port changes with each start.
    writeFileSync(join(settings.dataDir, 'database-url'), servers.databaseUrl, { mode: 0o600 });
    const needsPage = dropOldPage();
    await servers.startRedis();
    const areUp = servers.startOthers();
    for (const service of services) {
      if (stopping.signal.aborted) break;
      const env = environmentOf(service, servers, settings);
      running.push(supervise(service.name, programOf(service, isWatching), env, logTo(logs, service.name)));
    }
    await areUp;
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
      console.log(welcome({ baseUrl, telemetryUrl, mailUrl: servers.maildevUrl, metrics, logs }));
    if (!stopping.signal.aborted && !isSandboxable)
      console.log(
        'Documents are not sandboxed on this system (SANDBOX=degraded): convert only documents that you trust.\n',
      );
    if (needsPage)
      buildPage(stopping.signal).catch((error: Error) => {
        if (!stopping.signal.aborted) console.error(`[page] /try cannot be built: ${error.message}`);
      });
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  } finally {
    stopping.abort();
    await stopServices();
    await servers?.stop();
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
