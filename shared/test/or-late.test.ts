import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { orLate } from '../src/or-late.ts';

/** Pauses this process. */
function pause(ms: number): void {
  for (const endsAt = Date.now() + ms; Date.now() < endsAt; );
}

test('a promise that does not settle is late', async () => {
  const { promise: never } = Promise.withResolvers<void>();
  const { promise: late, resolve } = Promise.withResolvers<void>();
  void orLate(never, 50, resolve);
  await late;
});

test('a pause of the process makes no promise late that settles soon after it', async () => {
  let isLate = false;
  // The work begins after the pause, as a command that could not be sent before.
  const work = sleep(1).then(() => sleep(20));
  const waiting = orLate(work, 500, () => {
    isLate = true;
  });
  pause(700);
  await waiting;
  expect(isLate).toBe(false);
});

test('a promise that settles is not reported', async () => {
  let isLate = false;
  await orLate(sleep(1), 10_000, () => {
    isLate = true;
  });
  await expect(orLate(Promise.reject(new Error('failed')), 10_000, () => undefined)).rejects.toThrow(
    'failed',
  );
  expect(isLate).toBe(false);
});
