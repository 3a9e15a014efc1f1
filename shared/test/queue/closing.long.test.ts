import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FaultProxy, startFaultProxy } from '@scriptorium/testing/fault-proxy';
import { startStep, startSteps } from './steps.ts';

/** Longer than the time limit for closing a queue. */
const WORK_MS = 3_500;

const folder = mkdtempSync(join(tmpdir(), 'scriptorium-closing-'));
let queue: Awaited<ReturnType<typeof startSteps>>;
let line: FaultProxy;
beforeAll(async () => {
  queue = await startSteps();
  line = await startFaultProxy({ path: queue.url }, join(folder, 'line.sock'));
});
afterAll(async () => {
  await line.close();
  await queue.close();
  rmSync(folder, { recursive: true });
});

test('a closing worker runs a job that Redis has already assigned to it', async () => {
  const begun: string[] = [];
  const worker = startStep(join(folder, 'line.sock'), 'capitals', {
    async before({ requestId }) {
      begun.push(requestId);
      line.mend();
      await sleep(WORK_MS);
    },
  });
  const brackets = startStep(queue.url, 'brackets');
  // Both workers wait for jobs.
  const waiting = async () => String(await queue.redis.client('LIST')).match(/cmd=bzpopmin/g) ?? [];
  while ((await waiting()).length < 2) await sleep(20);
  line.spoil({ delayMs: 1_000 });
  const asked = queue.ask('late');
  while ((await queue.redis.keys('{scriptorium}:capitals:req_*')).length === 0) await sleep(5);
  // The worker removes its notice first. By then the job is active, but the worker does not know it.
  await worker.close();
  expect(begun).toHaveLength(1);
  expect((await asked).answer).toBe('[LATE]');
  await brackets.close();
  expect(await queue.remains()).toEqual([]);
});

test('a worker without a job closes while Redis does not respond', async () => {
  line.mend();
  const worker = startStep(join(folder, 'line.sock'), 'capitals');
  const waiting = async () => String(await queue.redis.client('LIST')).includes('cmd=bzpopmin');
  while (!(await waiting())) await sleep(20);
  line.spoil({ isBlackHole: true });
  await worker.close();
  line.mend();
});
