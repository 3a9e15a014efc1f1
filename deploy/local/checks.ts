import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueSocket } from './servers.ts';
import { internalPortOf, type LocalSettings, StartError, services } from './services.ts';

const MIB = 1024 * 1024;
/** What a new database takes on the disk, and what it needs to start later. */
const NEW_DATA_MIB = 64;
const KEPT_DATA_MIB = 8;
/** What all services and a usual document take. */
const MEMORY_MIB_MIN = 512;

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
    throw new StartError(`${host}:${port} ${why}. ${how} another port with ${setting}.`);
  }
  probe.close();
  await once(probe, 'close');
}

const freeMib = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return Math.floor((bavail * bsize) / MIB);
};

/** Why a server may have ended: a sentence if the disk of its data is full. */
export const noteOfRoom = (dataDir: string): string =>
  freeMib(dataDir) < KEPT_DATA_MIB ? ` The disk of ${dataDir} is full.` : '';

/** The database and the secrets are there. */
function requireRoom(dataDir: string): void {
  const other = 'Choose another folder with DATA_DIR.';
  try {
    mkdirSync(dataDir, { recursive: true });
    const needed = existsSync(join(dataDir, 'postgres', 'cluster')) ? KEPT_DATA_MIB : NEW_DATA_MIB;
    const free = freeMib(dataDir);
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
  const socket = createConnection(queueSocket(dataDir));
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

/** Services with less end again and again. */
function requireMemory(): void {
  const bytes = process.constrainedMemory();
  if (bytes === 0 || bytes >= MEMORY_MIB_MIN * MIB) return;
  throw new StartError(
    `This container may use ${Math.floor(bytes / MIB)} MiB of memory; all services together need ${MEMORY_MIB_MIN} MiB, and more for large documents. Give it more with --memory.`,
  );
}

/** Throws a StartError for what would stop a start in a container: memory, the folder of data, and ports. */
export async function checkContainer(settings: LocalSettings): Promise<void> {
  requireMemory();
  requireRoom(settings.dataDir);
  await requireFreePort(settings.host, settings.gatewayPort, 'GATEWAY_PORT');
  for (const service of services)
    await requireFreePort('127.0.0.1', internalPortOf(service, settings), 'INTERNAL_PORT');
}

/** The same of this machine, with the servers that only `npm start` brings. */
export async function checkBefore(settings: LocalSettings): Promise<void> {
  await requireUnusedFolder(settings.dataDir);
  await requireFreePort(settings.host, settings.telemetryPort, 'TELEMETRY_PORT');
  await requireFreePort('127.0.0.1', settings.maildevPort, 'MAILDEV_PORT');
  await requireFreePort('127.0.0.1', settings.smtpPort, 'SMTP_PORT');
  await checkContainer(settings);
}
