import { describe, expect, test } from '@jest/globals';
import { parseAddress } from '@scriptorium/fetching/address';
import { z } from 'zod';
import { ConfigError, loadConfig } from '../../src/config.ts';
import { fetchSettings, policyOf } from '../../src/fetch/settings.ts';
import { causeOf, failureOf, fetcherOf, options, resolvesTo } from './servers.ts';

/** No server listens on this address, so that permitted connections fail with ECONNREFUSED. */
const INSIDE = '127.9.9.9';

const mistakesIn = (settings: Record<string, string>): string[] => {
  try {
    fetcherOf(settings);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
  }
  return [];
};

/** Returns whether the rules permit a URL. By default its host resolves to INSIDE. */
async function isLet(settings: Record<string, string>, url: string, address = INSIDE): Promise<boolean> {
  const failure = await failureOf(fetcherOf(settings, resolvesTo(address)).fetch(url, options()));
  return /ECONNREFUSED/.test(causeOf(failure));
}

describe('FETCH_ALLOW', () => {
  test.each([
    ['an address', INSIDE, 'http://a.test/'],
    ['an IPv4-mapped address', `::ffff:${INSIDE}`, 'http://a.test/'],
    ['an address with both default ports', INSIDE, 'https://a.test/'],
    ['an address in the URL', INSIDE, `http://${INSIDE}/`],
    ['an address with a port', `${INSIDE}:81`, 'http://a.test:81/'],
    ['a range', '127.9.0.0/16', 'http://a.test/'],
    ['a range with a port', '127.9.0.0/16:81', 'http://a.test:81/'],
    ['one of several entries', `10.0.0.0/8, ${INSIDE}:81 ,fd00::/8`, 'http://a.test:81/'],
  ])('permits %s', async (_what, FETCH_ALLOW, url) => {
    expect(await isLet({ FETCH_ALLOW }, url)).toBe(true);
    expect(await isLet({ FETCH: 'allowlist', FETCH_ALLOW }, url)).toBe(true);
  });

  test.each([
    ['another port of a range', '127.9.0.0/16', 'http://a.test:81/'],
    ['the default ports of a range with a port', '127.9.0.0/16:81', 'http://a.test/'],
    ['another range', '127.8.0.0/16', 'http://a.test/'],
    ['an IPv4 address with an IPv6 range', '::/0', 'http://a.test/'],
    ['the private address of a named host', 'a.test:81', 'http://a.test:81/'],
    ['the private address of a subdomain', '*.test:81', 'http://a.test:81/'],
    ['a private address on the port of a named host', '127.9.0.0/16,a.test:81', 'http://a.test:81/'],
  ])('does not permit %s', async (_what, FETCH_ALLOW, url) => {
    expect(await isLet({ FETCH_ALLOW }, url)).toBe(false);
    expect(await isLet({ FETCH: 'allowlist', FETCH_ALLOW }, url)).toBe(false);
  });

  test.each<Record<string, string>>([
    {},
    { FETCH_ALLOW: '' },
    { FETCH_DENY: '' },
    { FETCH_DENY: '192.0.2.1' },
  ])('permits no private address if it is empty (%j)', async (settings) => {
    expect(await isLet(settings, 'http://a.test/')).toBe(false);
  });

  test.each([
    ['a.test:81', 'a.test', 81, true],
    ['A.Test.:81', 'a.test', 81, true],
    ['bücher.test:81', 'xn--bcher-kva.test', 81, true],
    ['a.test:81', 'a.test', 82, false],
    ['a.test:81', 'b.a.test', 81, false],
    ['a.test:81', 'ba.test', 81, false],
    ['*.test:81', 'b.a.test', 81, true],
    ['*.a.test:81', 'a.test', 81, false],
    ['*.a.test:81', 'ba.test', 81, false],
    ['8.8.0.0/16:81', 'a.test', 81, true],
    ['8.8.0.0/16:81', '8.8.8.8', 81, true],
    ['9.9.0.0/16:81', 'a.test', 81, false],
  ])('with %s permits for the public host %s port %i: %s', (entry, host, port, isOpen) => {
    const destination = { host, port, addresses: [parseAddress('8.8.8.8')] };
    for (const FETCH of ['on', 'allowlist'] as const) {
      const policy = policyOf(loadConfig(z.object(fetchSettings), { FETCH, FETCH_ALLOW: entry }));
      expect(policy(destination) === undefined).toBe(isOpen);
      expect(policy({ ...destination, port: 443 }) === undefined).toBe(FETCH === 'on');
    }
  });
});

describe('FETCH=allowlist', () => {
  test('rejects a public host that is not on the list', async () => {
    const fetcher = fetcherOf({ FETCH: 'allowlist', FETCH_ALLOW: 'a.test' }, resolvesTo('8.8.8.8'));
    const failure = await failureOf(fetcher.fetch('https://b.test/', options()));
    expect(causeOf(failure)).toBe('b.test port 443 is not on the allow list');
    expect(failure.failure).toBe('refused');
  });

  test('rejects private addresses of a host on the list', async () => {
    const fetcher = fetcherOf({ FETCH: 'allowlist', FETCH_ALLOW: 'a.test' }, resolvesTo(INSIDE));
    expect(causeOf(await failureOf(fetcher.fetch('https://a.test/', options())))).toMatch(/is not public/);
  });

  test('does not start without a list', () => {
    expect(mistakesIn({ FETCH: 'allowlist' })).toEqual([expect.stringMatching(/^FETCH_ALLOW is not set/)]);
  });
});

describe('FETCH=off', () => {
  test('rejects every fetch with a message', async () => {
    const fetcher = fetcherOf({ FETCH: 'off', FETCH_ALLOW: INSIDE }, resolvesTo(INSIDE));
    expect((await failureOf(fetcher.fetch('http://a.test/', options()))).message).toMatch(
      /does not fetch URLs/,
    );
  });
});

describe('FETCH_DENY', () => {
  test.each([
    ['an address', INSIDE],
    ['an IPv4-mapped address', `::ffff:${INSIDE}`],
    ['a range', '127.0.0.0/8'],
    ['a range on this port', '127.0.0.0/8:81'],
    ['a host', 'a.test'],
    ['a host on this port', 'a.test:81'],
    ['subdomains', '*.test'],
  ])('with %s takes precedence over FETCH_ALLOW', async (_what, FETCH_DENY) => {
    const FETCH_ALLOW = `127.9.0.0/16:81`;
    expect(await isLet({ FETCH_ALLOW }, 'http://a.test:81/')).toBe(true);
    expect(await isLet({ FETCH_ALLOW, FETCH_DENY }, 'http://a.test:81/')).toBe(false);
  });

  test.each(['a.test', 'a.test.', 'a.test..', 'A.Test....'])('also matches the host as %s', async (host) => {
    const settings = { FETCH_ALLOW: INSIDE, FETCH_DENY: 'a.test' };
    expect(await isLet(settings, `http://${host}/`)).toBe(false);
  });

  test('does not affect other ports, hosts and addresses', async () => {
    const settings = { FETCH_ALLOW: INSIDE, FETCH_DENY: `${INSIDE}:443,b.test,*.a.test,127.9.9.8` };
    expect(await isLet(settings, 'http://a.test/')).toBe(true);
  });
});

describe('the parser of the lists', () => {
  test.each([
    'http://a.test',
    'a.test/path',
    'user@a.test',
    '*',
    '*:81',
    '*.*.test',
    'a.*.test',
    '.a.test',
    'a..test',
    'a b.test',
    'a.test:',
    'a.test:0',
    'a.test:65536',
    'a.test:http',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08x',
    '10.1.2.3/8',
    '10.0/8',
    '010.0.0.1',
    '0x7f000001',
    '2130706433',
    'fd00::1/8',
    'fd00::/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/104',
    '[fd00::1',
    '[fd00::1]x',
    '[a.test',
    'a.test,',
    ',',
    'a.test;b.test',
  ])('rejects %j', (entry) => {
    expect(mistakesIn({ FETCH: 'allowlist', FETCH_ALLOW: entry })).not.toEqual([]);
    expect(mistakesIn({ FETCH_DENY: entry })).not.toEqual([]);
  });

  test('reports all mistakes by number without printing them', () => {
    const mistakes = mistakesIn({
      FETCH: 'yes',
      FETCH_ALLOW: '10.1.2.3/8,10.0.0.0/8,hunter2/x',
      FETCH_DENY: '*',
    });
    expect(mistakes.map((mistake) => mistake.replace(/ must.*/, ''))).toEqual([
      expect.stringMatching(/^FETCH: /),
      'FETCH_ALLOW: entry 1',
      'FETCH_ALLOW: entry 3',
      'FETCH_DENY: entry 1',
    ]);
    expect(mistakes.join()).not.toMatch(/hunter2|10\./);
  });

  test('rejects a host name without an effect', () => {
    expect(mistakesIn({ FETCH_ALLOW: '10.0.0.0/8,a.test,*.b.test:443' })).toEqual([
      expect.stringMatching(/^FETCH_ALLOW: entry 2 has no effect/),
      expect.stringMatching(/^FETCH_ALLOW: entry 3 has no effect/),
    ]);
  });
});
