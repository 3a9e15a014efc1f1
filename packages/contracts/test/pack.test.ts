import { randomBytes, randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { packParts, unpackParts } from '../src/pack.ts';

describe('a pack', () => {
  it('returns parts of any number and size', () => {
    for (let round = 0; round < 50; round++) {
      const parts = Array.from({ length: randomInt(20) }, () => randomBytes(randomInt(3) * randomInt(500)));
      expect(unpackParts(packParts(parts))).toEqual(parts);
    }
  });

  it('rejects bytes that were cut off or have a rest', () => {
    const pack = packParts([randomBytes(10), Buffer.alloc(0), randomBytes(300)]);
    for (let length = 0; length < pack.length; length++)
      expect(() => unpackParts(pack.subarray(0, length))).toThrow('a pack has');
    expect(() => unpackParts(Buffer.concat([pack, Buffer.alloc(1)]))).toThrow('a pack has');
  });
});
