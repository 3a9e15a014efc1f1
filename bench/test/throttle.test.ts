import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { testInNightly } from '@scriptorium/testing/extent';
import { throttle } from '../scale/throttle.ts';

const SHARE = 0.1;
let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill('SIGKILL');
});

async function busyOf(code: string): Promise<number> {
  const started = spawn(process.execPath, ['-e', `console.log('up'); ${code}`], { stdio: 'pipe' });
  child = started;
  await once(started.stdout, 'data');
  const throttled = throttle(child.pid ?? 0, SHARE);
  await sleep(1_500);
  return (await throttled.end()).busy;
}

// On a busy machine, it may not get its share.
testInNightly('a process that always has work uses its share of a core, and no more', async () => {
  const busy = await busyOf('for (;;);');
  expect(busy).toBeGreaterThan(0.8);
  expect(busy).toBeLessThan(1.2);
});

test('a process that waits uses little of its share', async () => {
  expect(await busyOf('setInterval(() => {}, 1000)')).toBeLessThan(0.3);
});

test('a process runs on after its throttling has ended', async () => {
  await busyOf('for (;;);');
  const ended = new Promise((resolve) => child?.once('exit', (_, signal) => resolve(signal)));
  child?.kill('SIGTERM');
  expect(await ended).toBe('SIGTERM');
});
