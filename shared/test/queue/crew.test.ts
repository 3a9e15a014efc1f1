import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { defineJob } from '@scriptorium/contracts/define-job';
import { AppError } from '@scriptorium/contracts/errors';
import { createMemoryBlobStore } from '@scriptorium/testing/memory-blob-store';
import { type RedisServer, startRedis } from '@scriptorium/testing/redis-server';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { Secret } from '../../src/config.ts';
import { newId } from '../../src/ids.ts';
import { createJobClient, type RunOptions } from '../../src/queue/client.ts';
import { connectFailingFast, connectPatient, disconnect } from '../../src/queue/connection.ts';
import { PutBack } from '../../src/queue/crew.ts';
import type { JobHandler } from '../../src/queue/job-handler.ts';
import { engineTimeOf } from '../../src/queue/reply.ts';
import { openReplyInbox } from '../../src/queue/reply-inbox.ts';
import { gatewaySealing } from '../../src/queue/sealing.ts';
import { startJobWorker } from '../../src/queue/worker.ts';
import { countWorkers } from '../../src/queue/workers.ts';

const job = defineJob({
  name: 'scribe',
  role: 'converter',
  input: z.object({ text: z.string() }),
  output: z.object({ by: z.string() }),
  timeoutMs: 30_000,
});
type Handler = JobHandler<{ text: string }, { by: string }>;

let server: RedisServer;
let redis: Redis;
let fast: Redis;
let ask: (text: string, more?: Partial<RunOptions>) => Promise<string>;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startRedis();
  redis = connectPatient(new Secret(server.url));
  fast = connectFailingFast(new Secret(server.url));
  await new Promise((resolve) => fast.once('ready', resolve));
  const removeBlobs = async () => {};
  const sealing = gatewaySealing(undefined, [job]);
  const inbox = openReplyInbox({ redis: redis.duplicate(), sealing, removeBlobs, onError() {} });
  const client = createJobClient(job, { redis: fast, inbox, sealing, removeBlobs });
  ask = async (text, more = {}) => {
    const { output } = await client.run(
      { text },
      {
        requestId: newId('req'),
        deadlineAt: Date.now() + 120_000,
        waitMsMax: 120_000,
        signal: new AbortController().signal,
        priority: 0,
        blobs: [],
        ...more,
      },
    );
    return output.by;
  };
  closing.push(
    () => client.close(),
    () => inbox.close(),
  );
});
const workers: ReturnType<typeof startJobWorker>[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});
afterAll(async () => {
  for (const close of closing) await close();
  await Promise.all([disconnect(redis), disconnect(fast)]);
  await server.stop();
});

/** A worker that runs one job at a time. */
function start(handler: Handler) {
  const worker = startJobWorker(job, handler, {
    redis,
    concurrency: 1,
    blobs: createMemoryBlobStore(),
    capacity: () => 1,
    events: { answered() {}, failed() {}, dropped() {}, queueError() {} },
  });
  workers.push(worker);
  return worker;
}

const done = (by: string) => ({ output: { by } });

describe('a job that steps aside', () => {
  test('lets its worker take one more job at a time, until it ends', async () => {
    const slow = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    let atATime = 0;
    let most = 0;
    start(async ({ text }, _context, share) => {
      if (text === 'slow') {
        share?.stepAside();
        began.resolve();
        await slow.promise;
        return done(text);
      }
      most = Math.max(most, ++atATime);
      await new Promise((resolve) => setTimeout(resolve, 50));
      atATime--;
      return done(text);
    });
    const first = ask('slow');
    await began.promise;
    expect(await Promise.all(['a', 'b', 'c'].map((text) => ask(text)))).toEqual(['a', 'b', 'c']);
    expect(most).toBe(1);
    slow.resolve();
    expect(await first).toBe('slow');
    expect(await ask('d')).toBe('d');
  });
});

describe('a job that is put back', () => {
  test('runs again later, and other jobs run meanwhile', async () => {
    const order: string[] = [];
    start(async ({ text }, _context, share) => {
      order.push(text);
      if (text === 'yields' && share?.starts === 1) throw new PutBack(1_000);
      return done(text);
    });
    const first = ask('yields');
    const second = ask('other');
    expect(await Promise.all([first, second])).toEqual(['yields', 'other']);
    expect(order).toEqual(['yields', 'other', 'yields']);
  });

  test('is refused with 503 if it never comes to run', async () => {
    start(async () => {
      throw new PutBack(100);
    });
    await expect(ask('never', { waitMsMax: 1_000 })).rejects.toMatchObject({ code: 'OVERLOADED' });
  });

  test('for another worker runs there, once', async () => {
    const instead = new AppError('UNAVAILABLE', 'No engine works here.');
    const runs: string[] = [];
    /** The workers that ran a job. A job of an earlier test may still come. */
    const ranBy = (text: string) =>
      runs.filter((run) => run.endsWith(` ${text}`)).map((run) => run.slice(0, -text.length - 1));
    const handlerOf =
      (name: string): Handler =>
      async ({ text }) => {
        runs.push(`${name} ${text}`);
        if (text === 'nowhere' || name === 'broken') throw new PutBack(50, instead);
        return done(name);
      };
    start(handlerOf('broken'));
    await expect(ask('alone')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(ranBy('alone')).toEqual(['broken']);
    start(handlerOf('whole'));
    while ((await countWorkers(redis, job.name)).workers < 2) await new Promise((r) => setTimeout(r, 20));
    for (let i = 0; i < 6; i++) expect(await ask(`${i}`)).toBe('whole');
    await expect(ask('nowhere')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(ranBy('nowhere').toSorted()).toEqual(['broken', 'whole']);
  });
});

test('a worker that cannot work takes no job, reports no capacity, and then goes on', async () => {
  const worker = start(async ({ text }) => done(text));
  expect(await ask('before')).toBe('before');
  /** Whether it has a connection on which it waits for jobs. */
  const waits = async () => String(await redis.client('LIST')).includes('name={scriptorium}');
  while (!(await waits())) await new Promise((resolve) => setTimeout(resolve, 20));
  worker.setTaking(false);
  // A job that comes in the same moment is still taken.
  while (await waits()) await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(ask('during', { waitMsMax: 700 })).rejects.toMatchObject({ code: 'OVERLOADED' });
  expect((await countWorkers(redis, job.name)).capacity).toBe(0);
  const waiting = ask('after');
  worker.setTaking(true);
  expect(await waiting).toBe('after');
  expect((await countWorkers(redis, job.name)).capacity).toBe(1);
});

test('engine time counts for its owner, also that of jobs that fail, are put back, or whose caller leaves', async () => {
  const begun = Promise.withResolvers<void>();
  start(async ({ text }, { signal }, share) => {
    share?.spend(100.4);
    if (text === 'fails') throw new AppError('CONVERSION_FAILED', 'no');
    if (text === 'returns' && share?.starts === 1) throw new PutBack(10);
    if (text === 'leaves') {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    }
    return done(text);
  });
  const share = { owner: 'ada' };
  const used = async () => Number(await redis.get(engineTimeOf('ada')));
  await ask('made', { share });
  expect(await used()).toBe(100);
  await expect(ask('fails', { share })).rejects.toMatchObject({ code: 'CONVERSION_FAILED' });
  await ask('returns', { share });
  expect(await used()).toBe(400);
  const caller = new AbortController();
  const left = ask('leaves', { share, signal: caller.signal });
  void begun.promise.then(() => caller.abort());
  await expect(left).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  while ((await used()) < 500) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await redis.pttl(engineTimeOf('ada'))).toBeGreaterThan(0);
});
