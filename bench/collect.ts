/**
 * bench/collect.ts [--seconds 5]
 *
 * Prints how many document opens a second one collector takes and counts on this machine, which load generator and PostgreSQL
 * share: payloads of one event and of twenty, the time to the 202 at half that rate, and how fast the consumer alone counts
 * beside what PostgreSQL can do with bare batches of INSERT … ON CONFLICT on the same kind of rows.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Secret } from '@scriptorium/shared/config';
import { type Database, openDatabase } from '@scriptorium/shared/db/pool';
import { documentOf } from '@scriptorium/shared/db/usage-inbox';
import { storeUsage } from '@scriptorium/shared/db/usage-store';
import { startPostgres } from '@scriptorium/shared/testing/postgres-server';
import { freePort } from '@scriptorium/shared/testing/server-process';
import { percentile } from './measure.ts';
import { cpuSecondsOfTree, processTree } from './processes.ts';

const run = promisify(execFile);
const BARE_ROWS = 1_000;
const MAX_BUFFER = 256 * 1024 * 1024;
const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const { values: options } = parseArgs({ options: { seconds: { type: 'string', default: '5' } } });
const seconds = Number(options.seconds);

interface Load {
  accepted: number;
  refused: number;
  seconds: number;
  latenciesMs: number[];
}

async function load(port: number, batch: number, payloadsPerSecond: number): Promise<Load> {
  const args = [path('collect-load.ts'), port, seconds, batch, payloadsPerSecond, Math.random()].map(String);
  const { stdout } = await run(process.execPath, args, { maxBuffer: MAX_BUFFER });
  return JSON.parse(stdout) as Load;
}

interface Telemetry {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

async function startTelemetry(databaseUrl: string, role: string): Promise<Telemetry> {
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

const number = async (database: Database, sql: string): Promise<number> =>
  Number((await database.query<{ n: string }>(sql)).rows[0]?.n ?? 0);
const counted = (database: Database): Promise<number> =>
  number(database, `SELECT sum(opens) AS n FROM usage_counts WHERE granularity = 'ever'`);

/** Waits until so many more are counted than were, and returns the seconds since `startedAt`. */
async function untilCounted(database: Database, total: number, startedAt: number): Promise<number> {
  while ((await counted(database)) < total) await new Promise((resolve) => setTimeout(resolve, 20));
  return (performance.now() - startedAt) / 1000;
}

/** Rows a second of the statement that no way of counting can do without. */
async function bareRate(database: Database): Promise<number> {
  await database.query(
    `CREATE TABLE bare (license int, document uuid, first_seen timestamptz, last_seen timestamptz, opens int,
     PRIMARY KEY (license, document)) WITH (fillfactor = 90)`,
  );
  const startedAt = performance.now();
  let rows = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    const documents = Array.from({ length: BARE_ROWS }, (_, i) =>
      documentOf(`bare ${i % 2 === 0 ? rows + i : Math.floor(Math.random() * (rows + i))}`),
    );
    const unique = [...new Set(documents)].sort();
    await database.query(
      `INSERT INTO bare SELECT 1, document, now(), now(), 1 FROM unnest($1::uuid[]) document
       ON CONFLICT (license, document) DO UPDATE SET opens = bare.opens + 1, last_seen = excluded.last_seen`,
      [unique],
    );
    rows += unique.length;
  }
  const rate = rows / ((performance.now() - startedAt) / 1000);
  await database.query('DROP TABLE bare');
  return rate;
}

/** The server's first process, of which each session's is a child. */
async function postmaster(database: Database): Promise<number> {
  const backend = await number(database, 'SELECT pg_backend_pid() AS n');
  return processTree(1).find(({ pid }) => pid === backend)?.parent ?? 0;
}

/** Events a second that are taken out of an inbox of that many, with nothing else to do. */
async function countingRate(database: Database): Promise<{ rate: number; events: number }> {
  const startedAt = performance.now();
  let events = 0;
  for (;;) {
    const stored = await storeUsage(database);
    events += stored?.occurrences ?? 0;
    if (!stored?.isMore) return { events, rate: events / ((performance.now() - startedAt) / 1000) };
  }
}

async function measureBatch(database: Database, { port, pid }: Telemetry, batch: number) {
  const server = await postmaster(database);
  const before = await counted(database);
  const [serviceCpu, serverCpu] = [cpuSecondsOfTree(pid), cpuSecondsOfTree(server)];
  const startedAt = performance.now();
  const full = await load(port, batch, 0);
  const countedSeconds = await untilCounted(database, before + full.accepted, startedAt);
  const cpuMs = (root: number, since: number): string =>
    (((cpuSecondsOfTree(root) - since) * 1_000_000) / full.accepted).toFixed(0);
  const [serviceMs, serverMs] = [cpuMs(pid, serviceCpu), cpuMs(server, serverCpu)];
  const rate = full.accepted / full.seconds;
  const half = await load(port, batch, rate / batch / 2);
  await untilCounted(database, before + full.accepted + half.accepted, startedAt);
  return {
    'events a payload': batch,
    'accepted/s': perSecond(rate),
    'accepted and counted/s': perSecond(full.accepted / countedSeconds),
    'CPU µs an event: service': serviceMs,
    'CPU µs: PostgreSQL': serverMs,
    'p50 ms at half': percentile(half.latenciesMs, 0.5).toFixed(1),
    'p99 ms at half': percentile(half.latenciesMs, 0.99).toFixed(1),
    'half/s': perSecond(half.accepted / half.seconds),
    refused: full.refused + half.refused,
  };
}

const perSecond = (value: number): string => Math.round(value).toLocaleString('en');
const server = await startPostgres({});
const database = openDatabase(new Secret(server.url));
try {
  const service = await startTelemetry(server.url, 'all');
  await load(service.port, 1, 0);
  const table = [await measureBatch(database, service, 1), await measureBatch(database, service, 20)];
  await service.stop();
  console.table(table);
  const collector = await startTelemetry(server.url, 'collector');
  await load(collector.port, 20, 0);
  await collector.stop();
  const before = await bareRate(database);
  const { rate, events } = await countingRate(database);
  const after = await bareRate(database);
  const ratio = rate / ((before + after) / 2);
  console.log(
    `Counting alone: ${perSecond(rate)} events/s, of ${perSecond(events)}. Bare INSERT … ON CONFLICT, ${BARE_ROWS} rows at a ` +
      `time, before and after: ${perSecond(before)} and ${perSecond(after)} rows/s. Ratio ${ratio.toFixed(2)}.`,
  );
} finally {
  await database.end();
  await server.stop();
}
