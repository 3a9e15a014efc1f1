import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { ConfigError, loadConfig } from '../../src/config.ts';
import { sealingSettings } from '../../src/secrets/settings.ts';

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
