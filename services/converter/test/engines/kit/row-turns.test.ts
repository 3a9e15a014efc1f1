import { expect, test } from '@jest/globals';
import { RowTurns } from '../../../src/engines/kit/row-turns.ts';

const never = new AbortController().signal;

/** Lets a number of rows ask for a turn, and returns how many have one. */
async function turnsOf(
  turns: RowTurns,
  rows: number,
): Promise<{ count: () => number; ends: (() => void)[] }> {
  const ends: (() => void)[] = [];
  for (let row = 0; row < rows; row++) void turns.enter(never).then((end) => ends.push(end));
  await new Promise(setImmediate);
  return { count: () => ends.length, ends };
}

test('rows use all engines while no single document is about', async () => {
  expect((await turnsOf(new RowTurns(3), 5)).count()).toBe(3);
});

test.each([
  [3, 2],
  [2, 1],
  [1, 1],
])('with %i engines, rows use %i beside single documents', async (engines, used) => {
  const turns = new RowTurns(engines);
  turns.noteDocument();
  const { count, ends } = await turnsOf(turns, 5);
  expect(count()).toBe(used);
  ends[0]?.();
  await new Promise(setImmediate);
  expect(count()).toBe(used + 1);
});

test('rows get all engines back some time after the last single document', async () => {
  const turns = new RowTurns(2, 500);
  turns.noteDocument();
  const { count, ends } = await turnsOf(turns, 3);
  expect(count()).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 600));
  ends[0]?.();
  await new Promise(setImmediate);
  expect(count()).toBe(3);
});

test('a canceled row does not wait', async () => {
  const turns = new RowTurns(1);
  await turns.enter(never);
  const leaving = new AbortController();
  const waiting = turns.enter(leaving.signal);
  leaving.abort();
  await expect(waiting).rejects.toMatchObject({ kind: 'aborted' });
});
