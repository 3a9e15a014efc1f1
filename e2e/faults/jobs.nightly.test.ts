import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type PostgresServer, startPostgres } from '@scriptorium/testing/postgres-server';
import { allProcesses, processTree } from '@scriptorium/testing/processes';
import { randomNumbers } from '@scriptorium/testing/random';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import { freePort } from '@scriptorium/testing/server-process';
import { Canaries, foundInFiles } from '../canaries.ts';
import { redisCommand } from '../remains.ts';
import {
  type Deployment,
  deploy,
  ONE_OF_EACH,
  type ServiceProcess,
  startService,
  until,
} from '../service.ts';
import { usageOf } from '../usage-reading.ts';
import { CONTRACT, type MixedJob, mixedJob, ROWS, type Store, startStore, textIn } from './mixed-jobs.ts';

/** A failure is tried again with its seed. */
const SEED = Number(process.env.FAULT_SEED ?? 1);
const JOBS = Number(process.env.FAULT_JOBS ?? 200);
const SUBMIT_MS_MAX = 1_500;
const PAUSE_MS_MAX = 5_000;
const FROZEN_MS = 60_000;
const ENDED_MS_MAX = 600_000;
/** A job that ended is gone from Redis then, and what its killed processes left there has expired. */
const EXPIRED_MS_MAX = 180_000;

const below = randomNumbers(SEED);
const canaries = new Canaries();

interface Shown {
  id: string;
  status: string;
  endedAt?: string;
  error?: { code: string; message: string };
  notification?: { outcome: string };
}

let folder: string;
let database: PostgresServer;
let blobs: RedisServer;
let store: Store;
let service: Deployment;
let consumer: ServiceProcess;
let key: string;
let signed: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'scriptorium-jobs-'));
  chmodSync(folder, 0o711);
  database = await startPostgres({ folder: join(folder, 'postgres'), outlives: 'kill' });
  blobs = await startRedis({ socket: join(folder, 'blobs.sock') });
  store = await startStore(canaries);
  service = await deploy({
    ...ONE_OF_EACH,
    gateways: 2,
    settings: {
      ...{ DATABASE_URL: database.url, REDIS_BLOB_URL: blobs.url, KEY_JOBS_MAX: String(JOBS) },
      ...{ DELIVER_ALLOW: store.place, FETCH_ALLOW: store.place, TMPDIR: folder },
    },
  });
  consumer = startService('telemetry', {
    ...service.settings,
    ...{ PORT: String(await freePort()), TELEMETRY_ROLE: 'consumer', COUNT_INTERVAL_MS: '100' },
  });
  key = await service.register();
  const answer = await ask('/v1/sign?to=pdf', { body: CONTRACT, accept: 'application/pdf' });
  signed = Buffer.from(await answer.arrayBuffer());
  expect(signed.subarray(0, 5).toString()).toBe('%PDF-');
});
afterAll(async () => {
  await consumer?.end('SIGTERM');
  await service?.close();
  await Promise.all([database.stop(), blobs.stop()]);
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Those that were not killed. */
const alive = <Process extends ServiceProcess>(processes: readonly Process[]): Process[] =>
  processes.filter(({ child }) => child.exitCode === null && child.signalCode === null);

async function ask(
  path: string,
  { body, ...headers }: { body?: object; [header: string]: unknown } = {},
): Promise<Response> {
  const gateways = alive(service.gateways);
  return fetch((gateways[below(gateways.length)]?.url ?? '') + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** Sends a request with its key until it is accepted, as a caller would. */
async function submit(number: number, { path, accept = '*/*', body }: MixedJob): Promise<string> {
  const asked = {
    ...{ body: { ...body, notify: { url: store.at(`heard/${number}`) } }, accept },
    ...{ prefer: 'respond-async', 'idempotency-key': `job ${number}` },
  };
  for (;;) {
    const answer = await ask(path, asked).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    if (answer?.status === 202 && text !== undefined) return (JSON.parse(text) as Shown).id;
    if (answer !== undefined && answer.status !== 503) expect([answer.status, text]).toEqual([202, text]);
    await sleep(500);
  }
}

/** All processes of PostgreSQL, which has them in sessions of their own. */
async function freezeDatabase(): Promise<void> {
  const main = allProcesses().find(({ commandLine }) =>
    commandLine.includes(`-D ${folder}/postgres/cluster`),
  );
  const signal = (name: NodeJS.Signals) => {
    for (const { pid } of processTree(main?.pid ?? -1)) process.kill(pid, name);
  };
  signal('SIGSTOP');
  await sleep(FROZEN_MS);
  signal('SIGCONT');
}

/** Kills one process after another, and starts another one or the same again, until `signal` aborts. Returns the counts. */
async function hit(signal: AbortSignal): Promise<Record<string, number>> {
  const starting: Promise<unknown>[] = [];
  const kill = (workers: () => readonly ServiceProcess[], add: () => Promise<unknown>) => {
    let before: Promise<unknown> = Promise.resolve();
    return async () => {
      await before;
      const running = alive(workers());
      await running[below(running.length)]?.end('SIGKILL');
      before = add();
      starting.push(before);
    };
  };
  const restart = (server: { kill(): Promise<void>; start(): Promise<void> }) => async () => {
    await server.kill();
    await server.start();
  };
  const gateway = kill(() => service.gateways, service.addGateway);
  const faults: [string, () => Promise<void>][] = [
    ['gateway', gateway],
    ['converter', kill(() => service.converters, service.addConverter)],
    ['Redis of documents', restart(blobs)],
    ['annotator', kill(() => service.annotators, service.addAnnotator)],
    ['gateway', gateway],
    ['PostgreSQL', restart(database)],
    ['signer', kill(() => service.signers, service.addSigner)],
    ['Redis of queues', restart(service.redis)],
    ['gateway', gateway],
    ['verifier', kill(() => service.verifiers, service.addVerifier)],
    ['PostgreSQL stands still', freezeDatabase],
  ];
  const hits: Record<string, number> = {};
  for (let at = 0; !signal.aborted; at++) {
    await sleep(below(PAUSE_MS_MAX));
    // Each once in this order, and then without the last.
    const [name, act] = faults[at < faults.length ? at : below(faults.length - 1)] as (typeof faults)[number];
    hits[name] = (hits[name] ?? 0) + 1;
    await act();
  }
  await Promise.all(starting);
  return hits;
}

async function shown(id: string, wait: number): Promise<Shown> {
  const answer = await ask(`/v1/jobs/${id}`, { prefer: `wait=${wait}` });
  const text = await answer.text();
  expect([answer.status, text]).toEqual([200, text]);
  return JSON.parse(text);
}

/** Every job once it has ended and is notified, or after too long a time. */
async function ended(ids: readonly string[]): Promise<Shown[]> {
  const endBy = Date.now() + ENDED_MS_MAX;
  const jobs: Shown[] = [];
  for (const id of ids) {
    let job = await shown(id, 0);
    while ((job.endedAt === undefined || job.notification?.outcome === 'pending') && Date.now() < endBy) {
      await sleep(200);
      job = await shown(id, 20);
    }
    jobs.push(job);
  }
  return jobs;
}

/** Expects what a job promised that has succeeded. Redis may have lost a result that waited. */
async function expectKept(number: number, id: string, { expected }: MixedJob): Promise<void> {
  if (expected === 'lines') {
    const lines = (store.objects.get(`put/${number}`) ?? '').toString().trim().split('\n');
    expect(lines.length).toBe(ROWS + 1);
    for (const line of lines.slice(0, -1))
      expect(await textIn(Buffer.from(line))).toContain(store.word(number, JSON.parse(line).index));
    return;
  }
  const isWaiting = expected === 'report' || '' in expected;
  const answer = isWaiting ? await ask(`/v1/jobs/${id}/result`) : undefined;
  if (answer?.status === 410) return;
  const result = answer ? Buffer.from(await answer.arrayBuffer()) : Buffer.alloc(0);
  if (expected === 'report') expect(JSON.parse(result.toString())).toMatchObject({ valid: true });
  else
    for (const [name, word] of Object.entries(expected))
      expect(await textIn(name === '' ? result : (store.objects.get(name) ?? result))).toContain(word);
}

test(`${JOBS} jobs end once, are notified and count once, whatever dies meanwhile, and leave nothing`, async () => {
  const jobs = Array.from({ length: JOBS }, (_, number) => mixedJob(number, store, signed));
  const ids: string[] = [];
  const over = new AbortController();
  const hitting = hit(over.signal);
  for (const [number, job] of jobs.entries()) {
    ids.push(await submit(number, job));
    await sleep(below(SUBMIT_MS_MAX));
  }
  over.abort();
  const hits = await hitting;
  expect(Object.keys(hits).length).toBeGreaterThan(3);
  const counted: Record<string, number> = { sign: 1 };
  // A job whose documents Redis lost counts what was made before, such as rows.
  const mayCount: Record<string, number> = {};
  for (const [number, { id, status, endedAt, error }] of (await ended(ids)).entries()) {
    const job = jobs[number] as MixedJob;
    const [operation, count] = job.counts;
    const hasSucceeded = job.isFetched === true || error === undefined;
    const outcome = hasSucceeded ? { status: 'succeeded' } : { status: 'failed', code: 'INPUT_LOST' };
    expect({ number, status, ...error }).toMatchObject({ number, ...outcome });
    const counts = hasSucceeded ? counted : mayCount;
    counts[operation] = (counts[operation] ?? 0) + count;
    if (hasSucceeded) await expectKept(number, id, job);
    // It may be notified twice, of the same.
    const heard = new Set(store.heard.filter((one) => one.job === number).map((one) => JSON.stringify(one)));
    const notice = { job: number, id: `msg_${id}`, type: `job.${status}`, endedAt };
    expect([...heard]).toEqual([JSON.stringify(notice)]);
  }
  const sum = Object.values(counted).reduce((all, one) => all + one);
  const usage = await usageOf(alive(service.gateways)[0]?.url ?? '', key, 'operation', sum);
  for (const [operation, count] of Object.entries(counted)) {
    expect(usage[operation]).toBeGreaterThanOrEqual(count);
    expect(usage[operation]).toBeLessThanOrEqual(count + (mayCount[operation] ?? 0));
  }
  await expectNoTrace(ids);
}, 3_000_000);

async function expectNoTrace(ids: readonly string[]): Promise<void> {
  for (const redis of [blobs, service.redis]) {
    const left = () =>
      redisCommand({ redis }, '--raw', 'KEYS', '*')
        .split('\n')
        .filter((name) => /job_|:blob:/.test(name))
        // A gateway that was killed before it kept the job took the key of its input with it. The rest expires.
        .filter(
          (name) => ids.some((id) => name.includes(id)) || redisCommand({ redis }, 'TTL', name) === '-1',
        );
    await until('nothing is left', () => left().length === 0, EXPIRED_MS_MAX).catch(() => undefined);
    expect(left()).toEqual([]);
    const dump = join(folder, 'dump.rdb');
    execFileSync('redis-cli', ['-s', redis.url, '--rdb', dump]);
    expect(foundInFiles(canaries, dump)).toEqual([]);
  }
  const listening = [...service.gateways, ...service.converters, ...service.annotators];
  for (const { log } of [...listening, ...service.signers, ...service.verifiers, consumer])
    expect(canaries.in(Buffer.from(log()))).toEqual([]);
  // PostgreSQL, its log, and the temporary files of all services.
  expect(foundInFiles(canaries, folder)).toEqual([]);
}
