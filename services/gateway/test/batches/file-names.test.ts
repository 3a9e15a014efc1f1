import { expect, test } from '@jest/globals';
import { FileNames } from '../../src/batches/file-names.ts';

test('numbers the documents of rows with one name, without regard to case', () => {
  const names = new FileNames('pdf', ['a (3).pdf']);
  expect(['a', 'A', 'a', 'b', 'a (2)'].map((name, index) => names.of(index, name))).toEqual([
    'a.pdf',
    'A (2).pdf',
    'a (4).pdf',
    'b.pdf',
    'a (2) (2).pdf',
  ]);
});

test('names as many rows of one name as a batch may have, in time that grows with their number only', () => {
  const names = new FileNames('pdf', []);
  let last = '';
  for (let index = 0; index < 100_000; index++) last = names.of(index, 'letter');
  expect(last).toBe('letter (100000).pdf');
}, 60_000);
