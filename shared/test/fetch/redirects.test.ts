import { createServer as createHttpsServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { selfSigned } from '@scriptorium/testing/fixtures/self-signed';
import {
  causeOf,
  closeServers,
  failureOf,
  fetcherOf,
  fetcherTo,
  listen,
  options,
  resolvesTo,
  senderOf,
  serve,
  startCanary,
} from './servers.ts';

const trusted = getCACertificates('default');
const identity = selfSigned('a.test');
beforeAll(() => setDefaultCACertificates([...trusted, identity.cert]));
afterAll(() => setDefaultCACertificates(trusted));
afterEach(closeServers);

/** A server that redirects paths to the given locations. */
const redirecting = (to: Record<string, string>, status = 302): Promise<number> =>
  serve((request, response) => {
    const location = to[request.url ?? ''];
    if (location === undefined) response.end(`at ${request.url}`);
    else response.writeHead(status, { location }).end('elsewhere');
  });

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with status %i is followed', async (status) => {
    const port = await redirecting({ '/': '/there?a=b#c' }, status);
    expect(String(await fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options()))).toBe('at /there?a=b');
  });

  test('is not followed by what is sent or read for long', async () => {
    const canary = await startCanary('127.0.0.1');
    const port = await redirecting({ '/': `http://127.0.0.1:${canary.port}/` }, 307);
    const sender = senderOf({ FETCH_ALLOW: `127.0.0.1:${port},127.0.0.1:${canary.port}` });
    const { signal } = options();
    const url = `http://127.0.0.1:${port}/`;
    const sent = await sender.send(url, { method: 'PUT', body: Buffer.from('a'), headers: {}, signal });
    const opened = await sender.open(url, { from: 0, signal });
    await opened.close();
    expect([sent.status, opened.status, canary.visits()]).toEqual([307, 307, 0]);
  });

  test('is followed at most three times', async () => {
    const port = await redirecting({ '/0': '/1', '/1': '2', '/2': './3', '/3': '/4' });
    const fetcher = fetcherTo(port);
    expect(String(await fetcher.fetch(`http://127.0.0.1:${port}/1`, options()))).toBe('at /4');
    const failure = await failureOf(fetcher.fetch(`http://127.0.0.1:${port}/0`, options()));
    expect(failure.failure).toBe('redirects');
  });

  test('to itself fails', async () => {
    const port = await redirecting({ '/': '/' });
    expect((await failureOf(fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options()))).failure).toBe(
      'redirects',
    );
  });

  test.each([
    ['an internal address', (port: number) => `http://127.0.0.2:${port}/`],
    ['an internal address without a scheme', (port: number) => `//127.0.0.2:${port}/`],
    ['an internal address with backslashes', (port: number) => `\\\\127.0.0.2:${port}\\`],
    ['an internal address in hexadecimal', (port: number) => `HTTP://0x7f.2:${port}/`],
    ['an IPv4-mapped internal address', (port: number) => `http://[::ffff:7f00:2]:${port}/`],
    ['a name with an internal address', (port: number) => `http://inside.test:${port}/`],
    ['a user name', (port: number) => `http://user@127.0.0.1:${port}/there`],
    ['another port', () => 'http://127.0.0.1:9/'],
    ['a file', () => 'file:///etc/passwd'],
    ['data', () => 'data:,secret'],
    ['an overlong URL', () => `/${'a'.repeat(5000)}`],
    ['a malformed URL', () => 'http://[/'],
  ])('to %s is rejected', async (_what, location) => {
    const to: Record<string, string> = {};
    const port = await redirecting(to);
    const canary = await startCanary('127.0.0.2', port);
    to['/'] = location(port);
    const fetcher = fetcherTo(port, resolvesTo('127.0.0.2'));
    expect((await failureOf(fetcher.fetch(`http://127.0.0.1:${port}/`, options()))).failure).toBe('refused');
    expect(canary.visits()).toBe(0);
  });

  test('to a name is checked with a new resolution', async () => {
    const port = await redirecting({ '/': '/there' });
    const canary = await startCanary('127.0.0.2', port);
    let asked = 0;
    const fetcher = fetcherTo(port, async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']));
    expect((await failureOf(fetcher.fetch(`http://a.test:${port}/`, options()))).failure).toBe('refused');
    expect(canary.visits()).toBe(0);
  });

  test('without a location is rejected', async () => {
    const port = await serve((_request, response) => response.writeHead(302).end('elsewhere'));
    expect((await failureOf(fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options()))).failure).toBe(
      'status',
    );
  });

  test('is followed without cookies and without a referrer', async () => {
    const headers: string[] = [];
    const port = await serve((request, response) => {
      headers.push(...Object.keys(request.headers));
      if (request.url === '/there') response.end();
      else
        response.writeHead(302, { location: '/there', 'set-cookie': 'a=b', refresh: '0;url=/other' }).end();
    });
    await fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options());
    expect(new Set(headers)).toEqual(
      new Set(['host', 'connection', 'accept', 'accept-encoding', 'user-agent']),
    );
  });
});

describe('a fetch over TLS', () => {
  const secure = (location?: () => string): Promise<number> =>
    listen(
      createHttpsServer(identity, (_request, response) => {
        if (location === undefined) response.end('secure');
        else response.writeHead(302, { location: location() }).end();
      }),
    );
  const fetcher = (...ports: number[]) =>
    fetcherOf({ FETCH_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join() }, resolvesTo('127.0.0.1'));

  test('accepts a host with a valid certificate', async () => {
    const port = await secure();
    expect(String(await fetcher(port).fetch(`https://A.test.:${port}/`, options()))).toBe('secure');
  });

  test.each(['b.test', '127.0.0.1'])('rejects %s with a certificate of another host', async (host) => {
    const port = await secure();
    const failure = await failureOf(fetcher(port).fetch(`https://${host}:${port}/`, options()));
    expect(failure.failure).toBe('refused');
    expect(causeOf(failure)).toMatch(/altnames/);
  });

  test('rejects a certificate without a trusted issuer', async () => {
    const stranger = createHttpsServer(selfSigned('a.test'), (_request, response) => response.end('secure'));
    const port = await listen(stranger);
    const failure = await failureOf(fetcher(port).fetch(`https://a.test:${port}/`, options()));
    expect(failure.failure).toBe('refused');
    expect(causeOf(failure)).toMatch(/self-signed|verify/);
  });

  test('does not follow a redirect to http', async () => {
    let visits = 0;
    const plain = await serve((_request, response) => response.end(`${visits++}`));
    const port = await secure(() => `http://a.test:${plain}/`);
    const failure = await failureOf(fetcher(port, plain).fetch(`https://a.test:${port}/`, options()));
    expect(failure.failure).toBe('redirects');
    expect(visits).toBe(0);
  });

  test('follows a redirect from http', async () => {
    const port = await secure();
    const plain = await redirecting({ '/': `https://a.test:${port}/` });
    expect(String(await fetcher(port, plain).fetch(`http://a.test:${plain}/`, options()))).toBe('secure');
  });
});
