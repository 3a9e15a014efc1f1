import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import type { Closeable } from '../../src/lifecycle.ts';
import { startStep, startSteps } from './steps.ts';

let queue: Awaited<ReturnType<typeof startSteps>>;
const workers: Closeable[] = [];

const capitals = (options?: Parameters<typeof startStep>[2]) =>
  void workers.push(startStep(queue.url, 'capitals', options));
const brackets = (options?: Parameters<typeof startStep>[2]) =>
  void workers.push(startStep(queue.url, 'brackets', options));

async function until(condition: () => Promise<boolean> | boolean, ms = 60_000): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) if (await condition()) return true;
  return false;
}

async function expectNothingLeft(): Promise<void> {
  await until(async () => (await queue.remains()).length === 0);
  expect(await queue.remains()).toEqual([]);
}

const isHandedOn = async () => (await queue.redis.keys('{scriptorium}:brackets:req_*')).length > 0;
const ended = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

beforeAll(async () => {
  queue = await startSteps();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});
afterAll(() => queue.close());

describe('a request of two steps', () => {
  test('returns the answer of the second and the output of the first, and leaves no data', async () => {
    capitals();
    brackets();
    const { answer, first } = await queue.ask('hello');
    expect(answer).toBe('[HELLO]');
    expect(first).toEqual({ letters: 5 });
    await expectNothingLeft();
  });

  test('reports the time of both steps as run, and the time between as wait', async () => {
    capitals({ before: async () => void (await sleep(300)) });
    const askedAt = performance.now();
    const asked = queue.ask('slow');
    await until(isHandedOn);
    await sleep(400);
    brackets();
    const { runMs, queueMs } = await asked;
    expect(runMs).toBeGreaterThanOrEqual(290);
    expect(queueMs).toBeGreaterThanOrEqual(390);
    // No time counts twice.
    expect(runMs + queueMs).toBeLessThan(performance.now() - askedAt + 20);
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

  test('returns the failure of the first step', async () => {
    brackets();
    capitals({
      before: () => {
        throw new Error('out of ink');
      },
    });
    await expect(queue.ask('x')).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await expectNothingLeft();
  });

  testInWhole(
    'is answered once and correctly even if its first worker is killed after forwarding',
    async () => {
      const program = fileURLToPath(new URL('./killed-worker.ts', import.meta.url));
      const killed = spawn(process.execPath, ['--conditions=source', program, queue.url], {
        stdio: 'ignore',
      });
      const end = once(killed, 'exit');
      workers.push({ close: async () => void killed.kill('SIGKILL') });
      const asked = queue.ask('twice', { deadlineAt: Date.now() + 120_000, waitMsMax: 120_000 });
      expect(await end).toEqual([null, 'SIGKILL']);
      let runs = 0;
      capitals({
        before: () => {
          runs += 1;
        },
      });
      expect(await until(() => runs === 1)).toBe(true);
      await sleep(300);
      brackets();
      expect((await asked).answer).toBe('[TWICE]');
      await expectNothingLeft();
    },
  );

  test('waits while Redis is full, and keeps the input of the next step', async () => {
    brackets();
    capitals({
      after: async () => {
        await queue.redis.config('SET', 'maxmemory', '1mb');
        setTimeout(() => void queue.redis.config('SET', 'maxmemory', '0'), 1_000);
      },
    });
    const { answer } = await queue.ask('patience', {}, { signs: '<>' });
    expect(answer).toBe('<PATIENCE>');
    await expectNothingLeft();
  });
});

describe('a caller who disconnects', () => {
  const leave = async (caller: AbortController, asked: Promise<unknown>) => {
    caller.abort();
    await expect(asked).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expectNothingLeft();
  };

  test('between the steps leaves no data, and the second step does not start', async () => {
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

  test('in the second step cancels it', async () => {
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

  test('in the first step prevents forwarding, even if the result is ready', async () => {
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

  test('during forwarding leaves no data in fifty attempts', async () => {
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

describe('a request that takes too long', () => {
  test('is answered at its deadline between the steps, and leaves no data', async () => {
    capitals();
    await expect(queue.ask('x', { deadlineAt: Date.now() + 1_000 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    await expectNothingLeft();
  });

  test('is not forwarded by a first step that ends after the deadline', async () => {
    capitals({ after: async () => void (await sleep(1_000)) });
    await expect(queue.ask('x', { deadlineAt: Date.now() + 500 })).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    await sleep(1_000);
    await expectNothingLeft();
  });

  test('is rejected if no worker starts the second step within its own wait limit', async () => {
    capitals({ before: async () => void (await sleep(600)) });
    const askedAt = Date.now();
    await expect(queue.ask('x', { waitMsMax: 3_000 })).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(3_500);
    await expectNothingLeft();
  });
});
