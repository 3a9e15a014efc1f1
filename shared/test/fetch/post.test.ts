import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import {
  causeOf,
  closeServers,
  failureOf,
  fetcherOf,
  fetcherTo,
  options,
  resolvesTo,
  serve,
  serveRaw,
  startCanary,
} from './servers.ts';

afterEach(closeServers);

const post = { body: Buffer.from([0x30, 0, 255]), contentType: 'application/timestamp-query' };

describe('a POST', () => {
  test('sends its body, type and headers, and returns the bytes of the response', async () => {
    let asked: unknown;
    const port = await serve(async (request: IncomingMessage, response) => {
      const { method, url, headers } = request;
      asked = { method, url, headers, body: await buffer(request) };
      response.end('stamped');
    });
    const headers = { authorization: 'Basic YTpi', 'accept-encoding': 'gzip' };
    const fetched = await fetcherTo(port).fetch(
      `http://127.0.0.1:${port}/tsa?a=b`,
      options({ post: { ...post, headers } }),
    );
    expect(String(fetched)).toBe('stamped');
    expect(asked).toEqual({
      method: 'POST',
      url: '/tsa?a=b',
      headers: {
        host: `127.0.0.1:${port}`,
        connection: 'close',
        accept: '*/*',
        'accept-encoding': 'identity',
        'user-agent': 'scriptorium',
        authorization: 'Basic YTpi',
        'content-type': 'application/timestamp-query',
        'content-length': '3',
      },
      body: post.body,
    });
  });

  test.each([301, 302, 303, 307, 308])('does not follow a redirect with status %i', async (status) => {
    const paths: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      paths.push(request.url);
      response.writeHead(status, { location: '/there' }).end();
    });
    const failure = await failureOf(fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options({ post })));
    expect(failure.failure).toBe('status');
    expect(causeOf(failure)).toBe(`127.0.0.1: ${status}`);
    expect(paths).toEqual(['/']);
  });

  test.each([
    ['an internal address', 'http://127.0.0.1'],
    ['a name with an internal address', 'http://a.test'],
    ['the metadata of a cloud', 'http://169.254.169.254'],
  ])('to %s is not sent', async (_what, origin) => {
    const canary = await startCanary('127.0.0.1');
    const fetcher = fetcherOf({}, resolvesTo('127.0.0.1'));
    const failure = await failureOf(fetcher.fetch(`${origin}:${canary.port}/`, options({ post })));
    expect(failure.failure).toBe('refused');
    expect(canary.visits()).toBe(0);
  });

  test('is not sent with FETCH=off', async () => {
    const failure = await failureOf(fetcherOf({ FETCH: 'off' }).fetch('http://a.test/', options({ post })));
    expect(failure.failure).toBe('off');
  });

  test('respects the limit of the response', async () => {
    const port = await serve((_request, response) => response.end('a'.repeat(1000)));
    const url = `http://127.0.0.1:${port}/`;
    expect(await fetcherTo(port).fetch(url, options({ post, bytesMax: 1000 }))).toHaveLength(1000);
    const failure = await failureOf(fetcherTo(port).fetch(url, options({ post, bytesMax: 999 })));
    expect(failure.failure).toBe('large');
  });

  testInWhole('without a response, or that is not read, is aborted', async () => {
    const silent = await serveRaw(() => undefined);
    const deaf = await serveRaw((socket) => socket.pause());
    const large = { ...post, body: Buffer.alloc(32 * 1024 * 1024) };
    const failures = await Promise.all([
      failureOf(fetcherTo(silent).fetch(`http://127.0.0.1:${silent}/`, options({ post }))),
      failureOf(fetcherTo(deaf).fetch(`http://127.0.0.1:${deaf}/`, options({ post: large }))),
    ]);
    expect(failures.map(({ failure }) => failure)).toEqual(['slow', 'slow']);
  });
});
