import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '@scriptorium/shared/config';
import { z } from 'zod';
import { timestampProfiles, timestampProfilesSetting } from '../src/timestamp-profiles.ts';

describe('time-stamping profiles', () => {
  test.each([
    ['another scheme', { url: 'ftp://tsa.test/' }],
    ['a user name in the URL', { url: 'https://ada:geheim@tsa.test/' }],
    ['no URL', {}],
    ['an unknown hash', { url: 'https://tsa.test/', hash: 'sha1' }],
    ['a policy that is not an object identifier', { url: 'https://tsa.test/', policy: '1.02.3' }],
    ['a name without a password', { url: 'https://tsa.test/', username: 'ada' }],
    ['a name with a colon', { url: 'https://tsa.test/', username: 'a:b', password: 'c' }],
    ['an unknown property', { url: 'https://tsa.test/', timeout: 5 }],
  ])('with %s are refused', (_what, profile) => {
    expect(timestampProfiles.safeParse({ main: profile }).success).toBe(false);
  });

  test('have names, and use SHA-256 by default', () => {
    expect(timestampProfiles.parse({ main: { url: 'https://tsa.test/stamp' } })).toEqual({
      main: { url: 'https://tsa.test/stamp', hash: 'sha256' },
    });
    expect(timestampProfiles.safeParse({ 'a b': { url: 'https://tsa.test/' } }).success).toBe(false);
  });

  test('are a JSON setting that never prints a password, and whose mistakes are named', () => {
    const schema = z.object({ TIMESTAMP_PROFILES: timestampProfilesSetting() });
    const load = (text: string) => loadConfig(schema, { TIMESTAMP_PROFILES: text });
    const good = load('{"main":{"url":"https://tsa.test/","username":"ada","password":"geheim"}}');
    expect(JSON.stringify(good)).toContain('"username":"ada"');
    expect(JSON.stringify(good)).not.toContain('geheim');
    expect(() => load('{"main":{"url":"geheim:"},"other":{"url":"https://tsa.test/","hash":"md5"}}')).toThrow(
      /TIMESTAMP_PROFILES: main\.url: must be an http or https URL[\s\S]*TIMESTAMP_PROFILES: other\.hash: /,
    );
    expect(() => load('{"main"')).toThrow(/TIMESTAMP_PROFILES: JSON: /);
  });
});
