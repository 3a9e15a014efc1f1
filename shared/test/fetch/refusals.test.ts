import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { FetchError } from '@scriptorium/fetching/error';
import {
  type Canary,
  causeOf,
  closeServers,
  failureOf,
  fetcherOf,
  fetcherTo,
  options,
  resolvesTo,
  senderOf,
  serve,
  startCanary,
} from './servers.ts';

let canary: Canary;
beforeEach(async () => {
  canary = await startCanary();
});
afterEach(closeServers);

/** The failure that every rejection must equal. */
async function hostWithoutAddress(): Promise<FetchError> {
  const fetcher = fetcherOf({}, () => Promise.reject(new Error('ENOTFOUND')));
  return failureOf(fetcher.fetch('http://nowhere.test/', options()));
}

async function expectRefused(url: string, cause: RegExp, resolve = resolvesTo()): Promise<void> {
  // The port of the canary is permitted for every host, so that only the address check protects it.
  const FETCH_ALLOW = `192.0.2.1:${canary.port}`;
  const sender = senderOf({ FETCH_ALLOW }, resolve);
  const { signal } = options();
  const expected = await hostWithoutAddress();
  for (const going of [
    () => fetcherOf({ FETCH_ALLOW }, resolve).fetch(url, options()),
    () => sender.check(url, signal),
    () => sender.send(url, { method: 'PUT', body: Buffer.from('secret'), headers: {}, signal }),
    () => sender.open(url, { from: 0, signal }),
  ]) {
    const failure = await failureOf(going());
    expect({ failure: failure.failure, message: failure.message }).toEqual({
      failure: expected.failure,
      message: expected.message,
    });
    expect(causeOf(failure)).toMatch(cause);
  }
  expect(canary.visits()).toBe(0);
}

/** Spellings of internal addresses. */
const INSIDE = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.0.0.1..',
  '0x7f.1..',
  '127.1',
  '127.0.1',
  '127.255.255.255',
  '127.0.0.1\t',
  '2130706433',
  '0x7f000001',
  '0X7F000001',
  '0x7f.1',
  '0x7f.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '00000177.0.0.1',
  '127.0.0.0x1',
  '0x7F.0.0.1',
  '%31%32%37.0.0.1',
  '127%2E0%2E0%2E1',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '127｡0｡0｡1',
  '①②⑦.⓪.⓪.①',
  '127.0.0.\u00ad1',
  '0',
  '0.0.0.0',
  '0x0',
  '00',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0001]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[FE80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
  '[ff02::1]',
  '[fec0::1]',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '169.254.43518',
  '169.16689662',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '169.254.170.2',
  '100.100.100.200',
  '1684301000',
  '192.0.0.192',
  '168.63.129.16',
  '[::ffff:168.63.129.16]',
  '0xa83f8110',
  '10.0.0.1',
  '167772161',
  '012.0.0.1',
  '10.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '0xc0a80001',
  '100.64.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '4294967295',
];

/** Names that resolve to internal addresses. */
const NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'LocalHost',
  'ⓛocalhost',
  'ｌｏｃａｌｈｏｓｔ',
  'local\u00adhost',
  'localhost.localdomain',
  'a.localhost',
  'ip6-localhost',
  '127.0.0.1.nip.test',
  'metadata.google.internal',
  'instance-data',
  'kubernetes.default.svc',
  'host.docker.internal',
  'bücher.test',
  'xn--bcher-kva.test',
  'a_b.test',
  'a..test',
  '*.test',
  `${'a'.repeat(63)}.test`,
  `${'a.'.repeat(200)}test`,
];

describe('an internal host is rejected like an unknown host,', () => {
  test.each(INSIDE)('as the address %j', async (host) => {
    await expectRefused(`http://${host}/`, / is not public$/);
    await expectRefused(`HTTPS://${host}/`, / is not public$/);
    await expectRefused(`http://${host.replace('\t', '')}:${canary.port}/`, / is not public$/);
  });

  test.each(NAMES)('as the name %j', async (host) => {
    const resolve = resolvesTo('127.0.0.1');
    await expectRefused(`http://${host}/`, / is not public$/, resolve);
    await expectRefused(`http://${host}:${canary.port}/`, / is not public$/, resolve);
  });

  test.each([
    ['a private address after a public one', ['8.8.8.8', '127.0.0.1']],
    ['a private address before a public one', ['127.0.0.1', '8.8.8.8']],
    ['a private IPv6 address beside a public IPv4 address', ['8.8.8.8', '::1']],
    ['mapped', ['::ffff:127.0.0.1']],
    ['an IPv4-mapped address in hexadecimal', ['::ffff:7f00:1']],
    ['compatible', ['::127.0.0.1']],
    ['NAT64', ['64:ff9b::7f00:1']],
    ['a link-local address with an interface', ['fe80::1%lo']],
    ['metadata', ['169.254.169.254']],
  ])('after a response of the name server with %s', async (_what, addresses) => {
    await expectRefused('http://a.test/', / is not public$/, resolvesTo(...addresses));
  });

  test.each([
    ['nothing', []],
    ['a text that is not an address', ['a.test']],
    ['an empty text', ['']],
    ['a non-canonical address', ['0x7f.1.1.1.1']],
  ])('after a response of the name server with %s', async (_what, addresses) => {
    await expectRefused('http://a.test/', /has no address|neither IPv6 nor IPv4/, resolvesTo(...addresses));
  });

  test('even if FETCH_ALLOW permits a port of the name', async () => {
    const settings = { FETCH_ALLOW: `a.test:${canary.port}` };
    const fetcher = fetcherOf(settings, resolvesTo('127.0.0.1'));
    const failure = await failureOf(fetcher.fetch(`http://a.test:${canary.port}/`, options()));
    expect(causeOf(failure)).toMatch(/is not public$/);
    expect(canary.visits()).toBe(0);
  });

  test('even if the port is closed', async () => {
    const port = canary.port;
    closeServers();
    const failure = await failureOf(fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options()));
    expect(failure.message).toBe((await hostWithoutAddress()).message);
    expect(causeOf(failure)).toMatch(/ECONNREFUSED/);
  });
});

describe('a URL is rejected that', () => {
  test.each([
    ['has the scheme file', 'file:///etc/passwd', /scheme file: /],
    ['has the scheme data', 'data:text/plain,hello', /scheme data: /],
    ['has the scheme ftp', 'ftp://a.test/', /scheme ftp: /],
    ['has the scheme javascript', 'javascript:alert(1)', /scheme javascript: /],
    ['has the scheme unix', 'unix:/var/run/docker.sock', /scheme unix: /],
    ['has the scheme gopher', 'gopher://a.test:70/', /scheme gopher: /],
    ['has the scheme ws', 'ws://a.test/', /scheme ws: /],
    ['has the scheme blob', 'blob:http://a.test/1', /scheme blob: /],
    ['has the scheme view-source', 'view-source:http://a.test/', /scheme view-source: /],
    ['has no scheme', '//a.test/', /malformed/],
    ['is only a path', '/etc/passwd', /malformed/],
    ['is empty', '', /malformed/],
    ['has no host', 'http://', /malformed/],
    ['has an invalid port', 'http://a.test:65536/', /malformed/],
    ['has an address with too many parts', 'http://1.2.3.4.5/', /malformed/],
    ['has an address out of range', 'http://1.2.3.256/', /malformed/],
    ['has an interface in its address', 'http://[fe80::1%25eth0]/', /malformed/],
    ['has an unescaped interface in its address', 'http://[fe80::1%eth0]/', /malformed/],
    ['has a host after an address', 'http://[::1].a.test/', /malformed/],
    ['has a NUL in its host', 'http://a%00.test/', /malformed/],
    ['has a line break in its host', 'http://a%0d%0a.test/', /malformed/],
    ['has a user name', 'http://user@a.test/', /user name or password/],
    ['has a password', 'http://user:password@a.test/', /user name or password/],
    ['has only a password', 'http://:password@a.test/', /user name or password/],
    ['has a host as its user name', 'http://a.test@127.0.0.1/', /user name or password/],
    ['has a user name after a backslash', 'http://a.test\\@127.0.0.1/', /has no address/],
    ['has trailing dots after an address', 'http://127.0.0.1.../', /is not public/],
    ['has port 0', 'http://a.test:0/', /has no address/],
    ['is too long', `http://a.test/${'a'.repeat(4096)}`, /longer than 4096/],
  ])('%s', async (_what, url, cause) => {
    await expectRefused(url, cause);
  });

  test.each([22, 25, 81, 3306, 6379, 8080, 8443, 65535])('has port %i of a public host', async (port) => {
    await expectRefused(
      `http://a.test:${port}/`,
      /^port \d+ of a.test is not allowed$/,
      resolvesTo('8.8.8.8'),
    );
  });
});

describe('a name with changing addresses', () => {
  test('is resolved once, and the checked address is used', async () => {
    const port = await serve((_request, response) => response.end('public'));
    const inside = await startCanary('127.0.0.2', port);
    let asked = 0;
    const fetcher = fetcherTo(port, async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']));
    expect(String(await fetcher.fetch(`http://rebinding.test:${port}/`, options()))).toBe('public');
    expect(asked).toBe(1);
    expect(inside.visits()).toBe(0);
  });

  test('is rejected when it resolves to an internal address', async () => {
    const port = await serve((_request, response) => response.end('public'));
    const inside = await startCanary('127.0.0.2', port);
    let asked = 0;
    const fetcher = fetcherTo(port, async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']));
    await fetcher.fetch(`http://rebinding.test:${port}/`, options());
    const failure = await failureOf(fetcher.fetch(`http://rebinding.test:${port}/`, options()));
    expect(causeOf(failure)).toBe(`127.0.0.2 of rebinding.test is not public`);
    expect(inside.visits()).toBe(0);
  });
});
