import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { ConfigError, loadConfig, Secret } from '@scriptorium/shared/config';
import { BoxError, open, seal } from '@scriptorium/shared/secrets/sealed-box';
import { sealingSettings } from '@scriptorium/shared/secrets/settings';
import { z } from 'zod';

const raw = randomBytes(32);
const secret = new Secret(raw.toString('base64'));
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
    expect(open(new Secret(raw.toString('hex').toUpperCase()), 'req_1', box)).toEqual(content);
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
    const other = new Secret(randomBytes(32).toString('hex'));
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

describe('the secret', () => {
  const load = (SIGNER_SECRET: string) => loadConfig(z.object(sealingSettings), { SIGNER_SECRET });

  test.each([
    ['hexadecimal', randomBytes(32).toString('hex')],
    ['base64', randomBytes(32).toString('base64')],
    ['base64 of more bytes', randomBytes(50).toString('base64')],
  ])('is accepted in %s and never printed', (_name, text) => {
    const { SIGNER_SECRET } = load(text);
    expect(SIGNER_SECRET?.reveal()).toBe(text);
    expect(JSON.stringify({ SIGNER_SECRET })).toBe('{"SIGNER_SECRET":"[secret]"}');
  });

  test('is optional', () => {
    expect(load('').SIGNER_SECRET).toBeUndefined();
  });

  test.each([
    ['31 bytes', randomBytes(31).toString('hex')],
    ['a sentence', 'a sentence that is long enough, but no base64 at all'],
    ['base64 without its padding', randomBytes(32).toString('base64').slice(0, -1)],
    ['a trailing line feed', `${randomBytes(32).toString('base64')}\n`],
  ])('is rejected as %s without being printed', (_name, text) => {
    let thrown: unknown;
    try {
      load(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ConfigError);
    expect((thrown as Error).message).toContain('SIGNER_SECRET: must be 32 bytes or more');
    expect((thrown as Error).message).not.toContain(text);
  });
});
