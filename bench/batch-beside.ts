/**
 * bench/batch-beside.ts [--calls 60] [--rows 4000] [--slow-rows 10000] [--slow-seconds 60]
 *
 * What a batch costs others. Measures the latency of another key's single calls, quiet and beside a batch. Also measures the
 * memory of a gateway whose caller sends 10,000 rows and reads about one answer a second.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { memoryOf, processTree } from '@scriptorium/testing/processes';
import { BATCH_KINDS } from './batch-kinds.ts';
import { percentile } from './measure.ts';
import { startServers } from './scale/servers.ts';
import { type Stand, startStand } from './scale/stand.ts';

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '60' },
    rows: { type: 'string', default: '4000' },
    'slow-rows': { type: 'string', default: '10000' },
    'slow-seconds': { type: 'string', default: '60' },
  },
});

/** A service that does nothing for 5 seconds returns the memory of its last work. */
const SETTLED_MS = 8_000;

const [kind] = BATCH_KINDS;
if (kind === undefined) throw new Error('there is no letter');
const base64 = kind.template.toString('base64');

function linesOf(rows: number): string {
  const lines = [{ document: { base64 } }, ...Array.from({ length: rows }, () => ({ data: kind?.data() }))];
  return lines.map((line) => JSON.stringify(line)).join('\n');
}

/** The milliseconds of a call, and of its stages as the service reports them. */
interface Timed {
  ms: number;
  stages: string;
}

async function single(stand: Stand, key: string): Promise<Timed> {
  const startedAt = performance.now();
  const answer = await fetch(`${stand.service.url}/v1/generate?to=pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ document: { base64 }, data: kind?.data() }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await answer.arrayBuffer();
  return { ms: performance.now() - startedAt, stages: answer.headers.get('server-timing') ?? '' };
}

async function latencies(stand: Stand, key: string): Promise<Timed[]> {
  const times: Timed[] = [];
  for (let call = 0; call < Number(options.calls); call++) {
    times.push(await single(stand, key));
    await delay(20);
  }
  return times;
}

function shown(times: readonly Timed[]) {
  const all = times.map(({ ms }) => ms);
  return { 'p50 ms': percentile(all, 0.5).toFixed(0), 'p95 ms': percentile(all, 0.95).toFixed(0) };
}

function showSlowest(times: readonly Timed[]): void {
  const slowest = [...times].sort((a, b) => b.ms - a.ms).slice(0, Math.ceil(times.length / 20));
  for (const { ms, stages } of slowest) console.log(`${ms.toFixed(0)} ms: ${stages}`);
}

async function beside(stand: Stand, key: string, other: string): Promise<void> {
  await latencies(stand, other);
  const quiet = await latencies(stand, other);
  const leaving = new AbortController();
  const batch = fetch(`${stand.service.url}/v1/batches?to=pdf`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: linesOf(Number(options.rows)),
    signal: leaving.signal,
  });
  let answered = 0;
  const reading = batch.then(async ({ body }) => {
    for await (const chunk of body ?? [])
      answered += Buffer.from(chunk).toString('latin1').split('\n').length - 1;
  });
  reading.catch(() => undefined);
  await delay(3_000);
  const before = answered;
  const startedAt = performance.now();
  const busy = await latencies(stand, other);
  const perSecond = (1000 * (answered - before)) / (performance.now() - startedAt);
  leaving.abort();
  showSlowest(busy);
  console.table([
    { when: 'quiet', ...shown(quiet) },
    { when: 'beside a batch', ...shown(busy), 'rows/s of the batch': perSecond.toFixed(1) },
  ]);
}

/** A caller that sends all rows at once, and takes 40 KiB a second: about one answer. */
async function slowly(stand: Stand, key: string): Promise<void> {
  const { hostname, port } = new URL(stand.service.url);
  const body = linesOf(Number(options['slow-rows']));
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.pause();
  socket.write(
    `POST /v1/batches?to=pdf HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Type: application/x-ndjson\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const sizes: number[] = [];
  for (let second = 0; second < Number(options['slow-seconds']); second++) {
    await delay(1_000);
    socket.read(40 * 1024);
    sizes.push(memoryOf(stand.processes(1).gateway.flatMap((root) => processTree(root))).rssMiB);
  }
  console.log(
    `gateway with a slow reader of ${options['slow-rows']} rows: at most ${Math.max(...sizes).toFixed(0)} MiB`,
  );
  socket.destroy();
}

const servers = await startServers();
const stand = await startStand({
  converters: 1,
  gateways: 1,
  databaseUrl: servers.databaseUrl,
  further: ['annotator'],
  settings: { ENGINES: String(availableParallelism()), KEY_ROWS_PER_MINUTE_MAX: '10000000' },
});
try {
  const [key, other] = [await stand.service.register(), await stand.service.register()];
  await beside(stand, key, other);
  await delay(SETTLED_MS);
  await slowly(stand, key);
} finally {
  await stand.close();
  await servers.stop();
}
