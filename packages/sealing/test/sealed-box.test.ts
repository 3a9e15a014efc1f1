import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { BoxError } from '../src/box.ts';
import { open, seal } from '../src/sealed-box.ts';

const raw = randomBytes(32);
const hidden = (text: string) => ({ reveal: () => text });
const secret = hidden(raw.toString('base64'));
const content = Buffer.from('{"kind":"p12","password":"Trustno1"}');

describe('a sealed box', () => {
  test('returns the sealed bytes of any size', () => {
    for (const size of [0, 1, 1_000_000]) {
      const bytes = randomBytes(size);
      expect(open(secret, 'req_1', seal(secret, 'req_1', bytes)).equals(bytes)).toBe(true);
    }
  });

  test('opens with the same secret in the other encoding', () => {
    const box = seal(secret, 'req_1', content);
    expect(open(hidden(raw.toString('hex').toUpperCase()), 'req_1', box)).toEqual(content);
  });

  test('opens with two secrets if one of them sealed it, and is sealed with the first', () => {
    const former = randomBytes(32).toString('hex');
    const both = hidden(`${raw.toString('base64')}, ${former}`);
    expect(open(both, 'req_1', seal(hidden(former), 'req_1', content))).toEqual(content);
    expect(open(secret, 'req_1', seal(both, 'req_1', content))).toEqual(content);
    expect(() => open(hidden(former), 'req_1', seal(both, 'req_1', content))).toThrow(BoxError);
    for (const wrong of [`${former},`, `${former},${former}`, `${former},x`, `${former},${former},${former}`])
      expect(() => seal(hidden(wrong), 'req_1', content)).toThrow('32 bytes');
  });

  test('does not reveal its content, and differs each time', () => {
    const [first, second] = [seal(secret, 'req_1', content), seal(secret, 'req_1', content)];
    expect(first).not.toBe(second);
    const bytes = Buffer.from(first, 'base64');
    for (let at = 0; at + 4 <= content.length; at++)
      expect(bytes.includes(content.subarray(at, at + 4))).toBe(false);
  });

  test('does not open for another request, with another secret, or if it is malformed', () => {
    const box = seal(secret, 'req_1', content);
    const other = hidden(randomBytes(32).toString('hex'));
    for (const attempt of [
      () => open(secret, 'req_2', box),
      () => open(other, 'req_1', box),
      () => open(secret, 'req_1', ''),
      () => open(secret, 'req_1', 'AAAA'),
      () => open(secret, 'req_1', box.slice(0, -8)),
    ])
      expect(attempt).toThrow(BoxError);
  });

  test('does not open if any byte was changed', () => {
    const box = Buffer.from(seal(secret, 'req_1', content), 'base64');
    for (let at = 0; at < box.length; at++) {
      const changed = Buffer.from(box);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => open(secret, 'req_1', changed.toString('base64'))).toThrow(BoxError);
    }
  });
});
