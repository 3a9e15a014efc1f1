import { expect, test } from '@jest/globals';
import { Spares } from '../../../src/engines/kit/spares.ts';

function spares(): Spares<{ isGone: boolean; number: number }> {
  let number = 0;
  return new Spares(async () => ({ isGone: false, number: ++number }));
}

const NEVER = new AbortController().signal;

test('callers that take a spare at the same time get different ones', async () => {
  const waiting = spares();
  await waiting.prepare();
  const taken = await Promise.all([1, 2, 3, 4].map(() => waiting.take(NEVER)));
  expect(new Set(taken).size).toBe(4);
});

test('a caller that leaves does not take one away', async () => {
  const waiting = spares();
  void waiting.prepare();
  const leaving = new AbortController();
  const left = waiting.take(leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ kind: 'aborted' });
  const taken = await Promise.all([waiting.take(NEVER), waiting.take(NEVER)]);
  expect(taken.map(({ number }) => number).sort()).toEqual([1, 2]);
});
