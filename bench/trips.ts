/**
 * bench/trips.ts [--count 40] [--pages 1] [--idle 10] [--two] [--list]
 *
 * Counts the Redis commands and round trips of a conversion over HTTP, and the CPU time of each process. The stack is its own:
 * one gateway, one converter, and one Redis. With --two, it has one Redis for the queue and one for documents. One caller sends
 * one document after the other. --list prints the commands of one conversion in order.
 *
 * A line that delays each direction shows the trips: a conversion takes longer by the delay of each trip that it awaits.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Deployment, deploy } from '@scriptorium/e2e/service';
import { Secret } from '@scriptorium/shared/config';
import { connectPatient } from '@scriptorium/shared/queue/connection';
import { type FaultProxy, startFaultProxy } from '@scriptorium/testing/fault-proxy';
import { startMailCatcher } from '@scriptorium/testing/mail-catcher';
import { startPostgres } from '@scriptorium/testing/postgres-server';
import { allProcesses } from '@scriptorium/testing/processes';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { countsOf, type Executed, watchRedis } from '@scriptorium/testing/redis-watch';
import { makeDocument } from './documents.ts';

const WARM_UP = 10;
/** After an answer: the last commands of a request, which the caller does not wait for. */
const SETTLE_MS = 300;
const DELAY_MS = 50;

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    pages: { type: 'string', default: '1' },
    idle: { type: 'string', default: '10' },
    two: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const count = Number(options.count);
const pages = Number(options.pages);

interface Stand {
  service: Deployment;
  urls: string[];
  lines: FaultProxy[];
  key: string;
  pids: Record<string, number>;
  close(): Promise<void>;
}

async function processOf(url: string): Promise<number> {
  const redis = connectPatient(new Secret(url));
  try {
    return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  } finally {
    redis.disconnect();
  }
}

async function start(): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-trips-'));
  const closing: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const database = await startPostgres({});
  closing.unshift(() => database.stop());
  const mail = await startMailCatcher({ folder });
  closing.unshift(() => mail.stop());
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    SMTP_URL: mail.smtpUrl,
    MAILDEV_URL: mail.webUrl,
  });
  const lines: FaultProxy[] = [];
  const lineTo = async ({ port = 0 }: RedisServer): Promise<string> => {
    const line = await startFaultProxy({ port });
    lines.push(line);
    closing.unshift(() => line.close());
    return 'port' in line.address ? `redis://127.0.0.1:${line.address.port}` : line.address.path;
  };
  const blobs = options.two ? await startRedis() : undefined;
  closing.unshift(async () => blobs?.stop());
  const service = await deploy({
    redis: {},
    redisUrl: lineTo,
    settings: {
      NODE_ENV: 'production',
      KEY_REQUESTS_PER_MINUTE_MAX: '10000000',
      ...(blobs && { REDIS_BLOB_URL: await lineTo(blobs) }),
    },
  });
  closing.unshift(() => service.close());
  const urls = [service.redis.url, ...(blobs ? [blobs.url] : [])];
  return {
    service,
    urls,
    lines,
    key: await service.register(),
    pids: {
      gateway: service.gateway.child.pid ?? 0,
      converter: service.converters[0]?.child.pid ?? 0,
      redis: await processOf(service.redis.url),
      ...(blobs && { 'blob redis': await processOf(blobs.url) }),
    },
    async close() {
      for (const close of closing) await close();
    },
  };
}

/** CPU milliseconds of each process alone: the engines of the converter are not included. */
function cpuOf(pids: Record<string, number>): Record<string, number> {
  const all = new Map(allProcesses().map((found) => [found.pid, found]));
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, (all.get(pid)?.ownCpuSeconds ?? 0) * 1000]),
  );
}

function differences(before: Record<string, number>, after: Record<string, number>, by: number) {
  const entries = Object.entries(after).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / by] as const);
  const sum = entries.reduce((total, [, ms]) => total + ms, 0);
  return Object.fromEntries(
    [...entries, ['together', sum] as const].map(([name, ms]) => [name, +ms.toFixed(2)]),
  );
}

async function convert({ service, key }: Stand): Promise<number> {
  const document = makeDocument({ name: '', pages });
  const sentAt = performance.now();
  const answer = await service.convert(key, document);
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`refused: ${answer.status}`);
  return performance.now() - sentAt;
}

/** Sends conversions apart from each other, and returns the commands of each. */
async function commandsOfEach(stand: Stand, conversions = count): Promise<Executed[][]> {
  const watches = await Promise.all(stand.urls.map(watchRedis));
  const take = async () => (await Promise.all(watches.map((watch) => watch.take()))).flat();
  const seen: Executed[][] = [];
  for (let sent = 0; sent < conversions; sent++) {
    await take();
    await convert(stand);
    await sleep(SETTLE_MS);
    seen.push((await take()).filter((command) => !isNotice(command)).sort((a, b) => a.at - b.at));
  }
  for (const watch of watches) watch.stop();
  return seen;
}

/** What the services also send while they are idle. */
function isNotice({ name, args }: Executed): boolean {
  return /:(workers|gateway):/.test(args[0] ?? '') || (name === 'pexpire' && /:taken$/.test(args[0] ?? ''));
}

/** The median time of a conversion while the lines delay each direction. */
async function medianMs(stand: Stand, delayMs: number): Promise<number> {
  for (const line of stand.lines) line.spoil({ delayMs });
  const times: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    await sleep(SETTLE_MS);
    times.push(await convert(stand));
  }
  return median(times);
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

async function measure(stand: Stand): Promise<void> {
  for (let sent = 0; sent < WARM_UP; sent++) await convert(stand);
  const before = cpuOf(stand.pids);
  const times: number[] = [];
  for (let sent = 0; sent < count * 5; sent++) times.push(await convert(stand));
  console.log(`CPU ms a conversion, ${times.length} back to back, p50 ${median(times).toFixed(1)} ms`);
  console.table(differences(before, cpuOf(stand.pids), times.length));

  const seen = await commandsOfEach(stand);
  const together = seen.flat();
  console.log('Redis commands a conversion');
  const counts = Object.entries(countsOf(together)).map(([name, calls]) => [
    name,
    +(calls / count).toFixed(2),
  ]);
  console.table({ ...Object.fromEntries(counts), together: +(together.length / count).toFixed(2) });

  const [near, far] = [await medianMs(stand, 0), await medianMs(stand, DELAY_MS)];
  if (options.list) list((await commandsOfEach(stand, 1)).flat());
  for (const line of stand.lines) line.mend();
  console.log(`awaited trips: ${((far - near) / (2 * DELAY_MS)).toFixed(2)}`);

  await sleep(2_000);
  const idleBefore = cpuOf(stand.pids);
  const watches = await Promise.all(stand.urls.map(watchRedis));
  await sleep(Number(options.idle) * 1000);
  console.log('CPU ms a second, idle');
  console.table(differences(idleBefore, cpuOf(stand.pids), Number(options.idle)));
  const idle = (await Promise.all(watches.map((watch) => watch.take()))).flat();
  for (const watch of watches) watch.stop();
  console.log(`idle commands a second: ${(idle.length / Number(options.idle)).toFixed(1)}`, countsOf(idle));
}

function list(commands: Executed[]): void {
  const first = commands[0]?.at ?? 0;
  for (const { at, name, args, source } of commands)
    console.log((at - first).toFixed(2).padStart(8), source.padEnd(16), name, args.join(' ').slice(0, 100));
}

const stand = await start();
try {
  await measure(stand);
} finally {
  await stand.close();
}
