import { describe, expect, test } from '@jest/globals';
import { compareRevisions } from '../src/compare-revisions.ts';
import { Dice, HIDING, HONEST, type Mark, markedPdf, paper } from './marks.ts';

/** `MARKS` sets the number of marks of each kind, `MARKS_SEED` reproduces them. */
const { MARKS: count = '10', MARKS_SEED: seed = '727747' } = process.env;

async function looksDifferent(on: ReturnType<typeof paper>, mark: Mark): Promise<boolean> {
  const { bytes, before } = markedPdf(on, mark);
  const page = { page: 0, fields: [], annotations: [], added: [0], unsure: [], isPrintedToo: false };
  const { comparisons, readings } = await compareRevisions({
    bytes,
    comparisons: [{ before, now: bytes.length, pages: [page] }],
    pictures: [],
  });
  expect(readings.map(({ pages }) => pages)).toEqual([1, 1]);
  expect(comparisons[0]?.failure).toBeUndefined();
  return comparisons[0]?.differences.length === 1;
}

async function seedsWhere(make: (typeof HIDING)[string], differs: boolean): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < Number(count); index++) {
    const dice = new Dice(Number(seed) + index);
    const on = paper(dice);
    if ((await looksDifferent(on, make(dice, on))) === differs) found.push(Number(seed) + index);
  }
  return found;
}

describe(`a random mark over ink is found (seed ${seed})`, () => {
  test.each(Object.entries(HIDING))('%s', async (_, make) => {
    expect(await seedsWhere(make, false)).toEqual([]);
  });
});

describe(`a random mark of an honest kind is not (seed ${seed})`, () => {
  test.each(Object.entries(HONEST))('%s', async (_, make) => {
    expect(await seedsWhere(make, true)).toEqual([]);
  });
});
