import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  closeServers,
  fetcherOf,
  fetcherTo,
  listen,
  options,
  resolvesTo,
  serve,
  startCanary,
} from './servers.ts';

afterEach(closeServers);

const hasIpv6 = Object.values(networkInterfaces()).some((list) =>
  list?.some(({ address }) => address === '::1'),
);

describe('a fetch', () => {
  test('returns the bytes unchanged and sends a plain request', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251));
    let asked: unknown;
    const port = await serve((request, response) => {
      asked = {
        method: request.method,
        url: request.url,
        version: request.httpVersion,
        headers: request.headers,
      };
      response.end(bytes);
    });
    const fetched = await fetcherTo(port).fetch(`HTTP://127.0.0.1:${port}/a%20b/./c/../d?e=f&g#h`, options());
    expect(fetched.equals(bytes)).toBe(true);
    expect(asked).toEqual({
      method: 'GET',
      url: '/a%20b/d?e=f&g',
      version: '1.1',
      headers: {
        host: `127.0.0.1:${port}`,
        connection: 'close',
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'scriptorium',
      },
    });
  });

  test.each([
    ['in chunks', { 'transfer-encoding': 'chunked' }],
    ['with an identity encoding', { 'content-encoding': 'identity' }],
    ['with a wrong content type', { 'content-type': 'text/html' }],
  ])('accepts a response %s', async (_what, headers) => {
    const port = await serve((_request, response) => {
      response.writeHead(200, headers);
      response.write('docu');
      response.end('ment');
    });
    expect(String(await fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options()))).toBe('document');
  });

  test('accepts an empty response', async () => {
    const port = await serve((_request, response) => response.end());
    expect(await fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options())).toHaveLength(0);
  });

  test('resolves host names, including those of this machine', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    expect(String(await fetcherTo(port).fetch(`http://localhost.:${port}/`, options()))).toBe(
      `localhost:${port}`,
    );
  });

  (hasIpv6 ? test : test.skip)('reaches a host over IPv6', async () => {
    const server = createHttpServer((_request, response) => response.end('document'));
    const port = await listen(server, { host: '::1' });
    const fetcher = fetcherOf({ FETCH_ALLOW: `[::1]:${port}` }, resolvesTo('::1'));
    expect(String(await fetcher.fetch(`http://a.test:${port}/`, options()))).toBe('document');
    expect(String(await fetcher.fetch(`http://[::1]:${port}/`, options()))).toBe('document');
  });

  test('tries the next address if one does not respond', async () => {
    const port = await serve((_request, response) => response.end('document'));
    const fetcher = fetcherOf({ FETCH_ALLOW: `127.0.0.0/8:${port}` }, resolvesTo('127.0.0.3', '127.0.0.1'));
    expect(String(await fetcher.fetch(`http://a.test:${port}/`, options()))).toBe('document');
  });

  test('closes its connection after every response', async () => {
    const open = new Set<unknown>();
    const server = createServer((socket) => {
      open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)));
      socket.once('data', (request) => {
        const [, path = ''] = /GET \/(\S*)/.exec(String(request)) ?? [];
        const status =
          path === 'redirect'
            ? '302 Found\r\nLocation: /document'
            : path === 'missing'
              ? '404 Not Found'
              : '200 OK';
        socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 8\r\n\r\ndocument`);
      });
    });
    const port = await listen(server);
    const fetcher = fetcherTo(port);
    for (const path of ['document', 'redirect', 'missing'])
      await fetcher.fetch(`http://127.0.0.1:${port}/${path}`, options()).catch(() => undefined);
    await fetcher.fetch(`http://127.0.0.1:${port}/document`, options({ bytesMax: 1 })).catch(() => undefined);
    for (let attempt = 0; open.size > 0 && attempt < 6_000; attempt++) await sleep(10);
    expect(open.size).toBe(0);
  });

  test('ignores the proxy settings of the environment', async () => {
    const proxy = await startCanary('127.0.0.1');
    const names = [
      'HTTP_PROXY',
      'http_proxy',
      'HTTPS_PROXY',
      'https_proxy',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ];
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`;
    try {
      const port = await serve((_request, response) => response.end('document'));
      expect(String(await fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options()))).toBe('document');
      expect(proxy.visits()).toBe(0);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });
});

describe('the signal of a caller', () => {
  test.each([
    ['before', 'a.test'],
    ['during name resolution', 'silent.test'],
    ['before the response', 'a.test'],
    ['during the response', 'a.test/half'],
  ])('aborts a fetch with its own reason, %s', async (when, hostAndPath) => {
    const port = await serve((request, response) => {
      if (request.url === '/half') response.writeHead(200, { 'content-length': 10 }).write('half');
    });
    const fetcher = fetcherTo(port, (host) =>
      host === 'silent.test' ? new Promise(() => undefined) : Promise.resolve(['127.0.0.1']),
    );
    const controller = new AbortController();
    const reason = new Error('the caller has left');
    if (when === 'before') controller.abort(reason);
    const [host, path = ''] = hostAndPath.split('/');
    const fetching = fetcher.fetch(`http://${host}:${port}/${path}`, options({ signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 200);
    await expect(fetching).rejects.toBe(reason);
  });

  test('closes the connection', async () => {
    const server = createServer();
    const port = await listen(server);
    const connected = once(server, 'connection');
    const controller = new AbortController();
    const fetching = fetcherTo(port).fetch(
      `http://127.0.0.1:${port}/`,
      options({ signal: controller.signal }),
    );
    const [socket] = await connected;
    socket.resume();
    const closed = once(socket, 'close');
    controller.abort(new Error('the caller has left'));
    await expect(fetching).rejects.toThrow('the caller has left');
    await closed;
  });
});
