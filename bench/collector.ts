import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Database } from '@scriptorium/database/pool';
import { cpuSecondsOfTree, processTree } from '@scriptorium/testing/processes';
import { freePort } from '@scriptorium/testing/server-process';

const run = promisify(execFile);
const MAX_BUFFER = 256 * 1024 * 1024;
const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Accepted and refused events, and the time of each payload. */
export interface Load {
  accepted: number;
  refused: number;
  seconds: number;
  latenciesMs: number[];
}

/** Sends payloads of `batch` events from its own process, evenly; without a rate, as many as are accepted. */
export async function sendOpens(
  port: number,
  seconds: number,
  batch: number,
  payloadsPerSecond = 0,
): Promise<Load> {
  const args = [path('collect-load.ts'), port, seconds, batch, payloadsPerSecond, Math.random()].map(String);
  const { stdout } = await run(process.execPath, args, { maxBuffer: MAX_BUFFER });
  return JSON.parse(stdout) as Load;
}

export interface Telemetry {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

export async function startTelemetry(databaseUrl: string, role: string): Promise<Telemetry> {
  const port = await freePort();
  const main = path('../services/telemetry/src/main.ts');
  const child = spawn(process.execPath, ['--conditions=source', main], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      PORT: String(port),
      INTERNAL_PORT: '0',
      DRAIN_MS: '0',
      TELEMETRY_ROLE: role,
      LICENSE_EVENTS_PER_MINUTE_MAX: '1000000000',
      LOG_LEVEL: 'warn',
    },
    stdio: 'inherit',
  });
  const ended = once(child, 'exit');
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function numberOf(database: Database, sql: string): Promise<number> {
  return Number((await database.query<{ n: string }>(sql)).rows[0]?.n ?? 0);
}

/** Opens counted so far. */
export function counted(database: Database): Promise<number> {
  return numberOf(database, `SELECT sum(opens) AS n FROM usage_counts WHERE granularity = 'ever'`);
}

/** Waits until that many are counted. */
export async function untilCounted(database: Database, total: number): Promise<void> {
  while ((await counted(database)) < total) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The server's first process, the parent of each session's process. */
export async function postmaster(database: Database): Promise<number> {
  const backend = await numberOf(database, 'SELECT pg_backend_pid() AS n');
  return processTree(1).find(({ pid }) => pid === backend)?.parent ?? 0;
}

export interface Collected extends Load {
  /** From the first payload until the last event was counted. */
  countedSeconds: number;
  /** CPU time per event, counting included. */
  cpuUsAnEvent: { service: number; database: number };
}

/** Sends as many opens as a collector accepts, in payloads of `batch`, until they are counted. */
export async function collectOpens(
  database: Database,
  { port, pid }: Telemetry,
  seconds: number,
  batch: number,
): Promise<Collected> {
  const server = await postmaster(database);
  const before = await counted(database);
  const [serviceCpu, serverCpu] = [cpuSecondsOfTree(pid), cpuSecondsOfTree(server)];
  const startedAt = performance.now();
  const load = await sendOpens(port, seconds, batch);
  await untilCounted(database, before + load.accepted);
  const cpuUs = (root: number, since: number): number =>
    ((cpuSecondsOfTree(root) - since) * 1_000_000) / load.accepted;
  return {
    ...load,
    countedSeconds: (performance.now() - startedAt) / 1000,
    cpuUsAnEvent: { service: cpuUs(pid, serviceCpu), database: cpuUs(server, serverCpu) },
  };
}
