import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { JobWorker } from '../../src/queue/worker.ts';
import { startBrackets, startCapitals, startTwoSteps } from './two-steps.ts';

let queue: Awaited<ReturnType<typeof startTwoSteps>>;
const workers: JobWorker[] = [];

const capitals = (options?: Parameters<typeof startCapitals>[1]) =>
  void workers.push(startCapitals(queue.url, options));
const brackets = (options?: Parameters<typeof startBrackets>[1]) =>
  void workers.push(startBrackets(queue.url, options));

async function until(condition: () => Promise<boolean> | boolean, ms = 10_000): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) if (await condition()) return true;
  return false;
}

async function expectNothingLeft(): Promise<void> {
  await until(async () => (await queue.remains()).length === 0, 5_000);
  expect(await queue.remains()).toEqual([]);
}

const isHandedOn = async () => (await queue.redis.keys('{scriptorium}:brackets:req_*')).length > 0;
const ended = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

beforeAll(async () => {
  queue = await startTwoSteps();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});
afterAll(() => queue.close());

describe('A request of two steps', () => {
  test('is answered by the last, with what the first told, and leaves nothing', async () => {
    capitals();
    brackets();
    const { answer, first } = await queue.ask('hello');
    expect(answer).toBe('[HELLO]');
    expect(first).toEqual({ letters: 5 });
    await expectNothingLeft();
  });

  test('counts as run what the steps took, and as wait what lay between', async () => {
    capitals({ before: async () => void (await sleep(300)) });
    const asked = queue.ask('slow');
    await until(isHandedOn);
    await sleep(400);
    brackets();
    const { runMs, queueMs } = await asked;
    expect(runMs).toBeGreaterThanOrEqual(290);
    expect(runMs).toBeLessThan(queueMs + 300);
    expect(queueMs).toBeGreaterThanOrEqual(390);
  });

  test('keeps its priority in the second queue', async () => {
    capitals();
    const order: string[] = [];
    const asked = [9, 5, 0].map((priority) => queue.ask(String(priority), { priority }));
    for (const answer of asked) void answer.then(({ answer }) => order.push(answer ?? ''));
    await until(async () => (await queue.redis.keys('{scriptorium}:brackets:req_*')).length === 3);
    brackets();
    await Promise.all(asked);
    expect(order).toEqual(['[0]', '[5]', '[9]']);
  });

  test('whose first step fails is answered by that', async () => {
    brackets();
    capitals({
      before: () => {
        throw new Error('out of ink');
      },
    });
    await expect(queue.ask('x')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await expectNothingLeft();
  });

  test('is answered once and right though its first worker is killed as it has handed on', async () => {
    const program = fileURLToPath(new URL('./killed-capitals.ts', import.meta.url));
    const killed = spawn(process.execPath, ['--conditions=source', program, queue.url], { stdio: 'ignore' });
    const end = once(killed, 'exit');
    workers.push({ close: async () => void killed.kill('SIGKILL') });
    const asked = queue.ask('twice', { deadlineAt: Date.now() + 40_000, waitMsMax: 40_000 });
    expect(await end).toEqual([null, 'SIGKILL']);
    let runs = 0;
    capitals({
      before: () => {
        runs += 1;
      },
    });
    expect(await until(() => runs === 1, 25_000)).toBe(true);
    await sleep(300);
    brackets();
    expect((await asked).answer).toBe('[TWICE]');
    await expectNothingLeft();
  });

  test('waits out a Redis that is full when it is handed on, and keeps what the next step reads', async () => {
    brackets();
    capitals({
      after: async () => {
        await queue.redis.config('SET', 'maxmemory', '1mb');
        setTimeout(() => void queue.redis.config('SET', 'maxmemory', '0'), 1_000);
      },
    });
    const { answer } = await queue.ask('patience', {}, '<>');
    expect(answer).toBe('<PATIENCE>');
    await expectNothingLeft();
  });
});

describe('A caller who leaves', () => {
  const leave = async (caller: AbortController, asked: Promise<unknown>) => {
    caller.abort();
    await expect(asked).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expectNothingLeft();
  };

  test('between the steps leaves nothing, and the second is never begun', async () => {
    capitals();
    const caller = new AbortController();
    const asked = queue.ask('x', { signal: caller.signal });
    asked.catch(() => undefined);
    await until(isHandedOn);
    await leave(caller, asked);
    let begun = 0;
    brackets({
      before: () => {
        begun += 1;
      },
    });
    expect((await queue.ask('y')).answer).toBe('[Y]');
    expect(begun).toBe(1);
  });

  test('in the second step ends it', async () => {
    capitals();
    let isRunning = false;
    brackets({
      before: async ({ signal }) => {
        isRunning = true;
        await ended(signal);
        signal.throwIfAborted();
      },
    });
    const caller = new AbortController();
    const asked = queue.ask('x', { signal: caller.signal });
    asked.catch(() => undefined);
    await until(() => isRunning);
    await leave(caller, asked);
  });

  test('in the first step, whose result is ready all the same, has none handed on', async () => {
    const caller = new AbortController();
    capitals({
      after: async ({ signal }) => {
        caller.abort();
        await ended(signal);
      },
    });
    const asked = queue.ask('x', { signal: caller.signal });
    asked.catch(() => undefined);
    await leave(caller, asked);
    await sleep(200);
    await expectNothingLeft();
  });

  test('in the very moment in which the first step hands on leaves nothing, fifty times over', async () => {
    let caller = new AbortController();
    capitals({ after: () => caller.abort() });
    for (let i = 0; i < 50; i++) {
      caller = new AbortController();
      await expect(queue.ask('x', { signal: caller.signal })).rejects.toMatchObject({
        code: 'DEADLINE_EXCEEDED',
      });
    }
    await expectNothingLeft();
  });
});

describe('A request that takes too long', () => {
  test('is answered at its deadline between the steps, and leaves nothing', async () => {
    capitals();
    await expect(queue.ask('x', { deadlineAt: Date.now() + 1_000 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    await expectNothingLeft();
  });

  test('is not handed on by a first step that ends after the deadline', async () => {
    capitals({ after: async () => void (await sleep(1_000)) });
    await expect(queue.ask('x', { deadlineAt: Date.now() + 500 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    await sleep(1_000);
    await expectNothingLeft();
  });

  test('is told so when no worker begins the second step within the wait limit of its own', async () => {
    capitals({ before: async () => void (await sleep(600)) });
    const askedAt = Date.now();
    await expect(queue.ask('x', { waitMsMax: 800 })).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(1_300);
    await expectNothingLeft();
  });
});
