import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { signingKeyJob } from '@scriptorium/contracts/jobs/signing-key';
import { few, testInWhole } from '@scriptorium/testing/extent';
import type { Closeable } from '../../src/lifecycle.ts';
import { type StepName, startStep, startSteps } from './steps.ts';

let queue: Awaited<ReturnType<typeof startSteps>>;
const workers: Closeable[] = [];

const starting = (step: StepName) => (options?: Parameters<typeof startStep>[2]) =>
  void workers.push(startStep(queue.url, step, options));
const capitals = starting('capitals');
const brackets = starting('brackets');
const stamps = starting('stamps');

async function until(condition: () => Promise<boolean> | boolean, ms = 60_000): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) if (await condition()) return true;
  return false;
}

async function expectNothingLeft(): Promise<void> {
  await until(async () => (await queue.remains()).length === 0);
  expect(await queue.remains()).toEqual([]);
}

const isAt = async (step: StepName) => (await queue.redis.keys(`{scriptorium}:${step}:req_*`)).length > 0;

/** Starts a worker that is killed after it forwarded a request. Resolves with its exit. */
function startKilled(step: StepName): Promise<unknown[]> {
  const program = fileURLToPath(new URL('./killed-worker.ts', import.meta.url));
  const killed = spawn(process.execPath, ['--conditions=source', program, queue.url, step], {
    stdio: 'ignore',
  });
  workers.push({ close: async () => void killed.kill('SIGKILL') });
  return once(killed, 'exit');
}
const ended = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

beforeAll(async () => {
  queue = await startSteps();
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});
afterAll(() => queue.close());

describe('a request of three steps', () => {
  const three = { stamp: '!' };

  test('returns the answer of the last and the output of the first, and leaves no data', async () => {
    capitals();
    brackets();
    stamps();
    const { answer, first, outputOf } = await queue.ask('hello', {}, { ...three, signs: '<>' });
    expect(answer).toBe('<HELLO>!');
    expect(first).toEqual({ letters: 5 });
    expect(() => outputOf(signingKeyJob)).toThrow('signing-key is no step');
    await expectNothingLeft();
  });

  test('reports the time of all steps as run, and the times between as wait', async () => {
    capitals({ before: async () => void (await sleep(200)) });
    brackets({ before: async () => void (await sleep(200)) });
    const askedAt = performance.now();
    const asked = queue.ask('slow', {}, three);
    await until(() => isAt('stamps'));
    await sleep(400);
    stamps();
    const { runMs, queueMs } = await asked;
    expect(runMs).toBeGreaterThanOrEqual(390);
    expect(queueMs).toBeGreaterThanOrEqual(390);
    // No time counts twice.
    expect(runMs + queueMs).toBeLessThan(performance.now() - askedAt + 20);
  });

  testInWhole.each(few(['capitals', 'brackets'] as const, 1, 1))(
    'is answered once and leaves no data even if the worker of %s is killed after forwarding',
    async (step) => {
      const end = startKilled(step);
      if (step === 'brackets') capitals();
      const asked = queue.ask('twice', { deadlineAt: Date.now() + 120_000, waitMsMax: 120_000 }, three);
      expect(await end).toEqual([null, 'SIGKILL']);
      // The other steps are over before the killed step runs again: its request waits in the last queue.
      if (step === 'capitals') brackets();
      await until(() => isAt('stamps'));
      let runs = 0;
      const again = step === 'capitals' ? capitals : brackets;
      again({
        before: () => {
          runs += 1;
        },
      });
      expect(await until(() => runs === 1)).toBe(true);
      await sleep(500);
      stamps();
      expect((await asked).answer).toBe('[TWICE]!');
      await expectNothingLeft();
    },
  );

  test('returns the failure of the step between', async () => {
    capitals();
    stamps();
    brackets({
      before: () => {
        throw new Error('out of ink');
      },
    });
    await expect(queue.ask('x', {}, three)).rejects.toMatchObject({ code: 'INTERNAL_ERROR' });
    await expectNothingLeft();
  });

  test.each(['brackets', 'stamps'] as const)(
    'that waits for %s when its caller disconnects leaves no data',
    async (step) => {
      capitals();
      if (step === 'stamps') brackets();
      const caller = new AbortController();
      const asked = queue.ask('x', { signal: caller.signal }, three);
      asked.catch(() => undefined);
      await until(() => isAt(step));
      caller.abort();
      await expect(asked).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      await expectNothingLeft();
    },
  );

  test('is canceled in its last step when its caller disconnects', async () => {
    capitals();
    brackets();
    let isRunning = false;
    stamps({
      before: async ({ signal }) => {
        isRunning = true;
        await ended(signal);
        signal.throwIfAborted();
      },
    });
    const caller = new AbortController();
    const asked = queue.ask('x', { signal: caller.signal }, three);
    asked.catch(() => undefined);
    await until(() => isRunning);
    caller.abort();
    await expect(asked).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await expectNothingLeft();
  });

  test('leaves no data in fifty attempts whose callers disconnect during the second forwarding', async () => {
    let caller = new AbortController();
    capitals();
    brackets({ after: () => caller.abort() });
    for (let i = 0; i < 50; i++) {
      caller = new AbortController();
      await expect(queue.ask('x', { signal: caller.signal }, three)).rejects.toMatchObject({
        code: 'DEADLINE_EXCEEDED',
      });
    }
    await expectNothingLeft();
  });

  test('is answered at its deadline before its last step, and leaves no data', async () => {
    capitals();
    brackets();
    await expect(queue.ask('x', { deadlineAt: Date.now() + 1_000 }, three)).rejects.toMatchObject({
      code: 'DEADLINE_EXCEEDED',
    });
    await expectNothingLeft();
  });

  test('is rejected if no worker starts its last step within its own wait limit', async () => {
    capitals({ before: async () => void (await sleep(400)) });
    brackets({ before: async () => void (await sleep(400)) });
    const askedAt = Date.now();
    await expect(queue.ask('x', { waitMsMax: 3_000 }, three)).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(3_700);
    await expectNothingLeft();
  });
});
