import { describe, expect, test } from '@jest/globals';
import { chainsOf } from '../src/form-state.ts';

const row = (gone: number[], texts: (string | null)[] = ['x']) => ({ gone, texts });

describe('the rows of a form', () => {
  test('need one load if each lacks what the one before lacks', () => {
    const rows = [row([1, 2, 3]), row([]), row([3]), row([2, 3])];
    expect(chainsOf(rows, [-1, -1, -1, -1])).toEqual([[1, 2, 3, 0]]);
  });

  test('need another load for a piece or a text that is gone', () => {
    expect(chainsOf([row([1]), row([2])], [-1, -1, -1])).toEqual([[0], [1]]);
    expect(chainsOf([row([], ['', 'x']), row([], ['x', ''])], [])).toEqual([[0], [1]]);
  });

  test('may lack a piece with what another row has removed of it', () => {
    // The second piece stands in the first one.
    expect(chainsOf([row([1], ['x']), row([0], [null])], [-1, 0])).toEqual([[0, 1]]);
  });

  test('need six loads for four independent conditions', () => {
    const rows = Array.from({ length: 64 }, (_, at) => row([0, 1, 2, 3].filter((bit) => (at >> bit) & 1)));
    expect(chainsOf(rows, [-1, -1, -1, -1]).length).toBeLessThanOrEqual(7);
  });
});
