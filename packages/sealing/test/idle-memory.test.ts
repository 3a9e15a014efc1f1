import { expect, test } from '@jest/globals';
import { overwrite, release } from '../src/idle-memory.ts';

test('released bytes are gone, and those beside them in the same memory stay', () => {
  const own = Buffer.alloc(100_000, 7);
  const all = Buffer.alloc(10, 7);
  const part = all.subarray(2, 4);
  for (const bytes of [own, part, own]) release(bytes);
  expect(own.length).toBe(0);
  expect([...all]).toEqual([7, 7, 0, 0, 7, 7, 7, 7, 7, 7]);
});

test('all bytes in a value are released, except those that are kept', () => {
  const value = { source: Buffer.alloc(5_000, 7), parts: [{ bytes: Buffer.alloc(5_000, 7) }], text: 'a' };
  const [part] = value.parts;
  overwrite(value, [part?.bytes]);
  expect(value.source.length).toBe(0);
  expect(part?.bytes.every((byte) => byte === 7)).toBe(true);
});
