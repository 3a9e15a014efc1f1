import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { causeOf, closeServers, failureOf, fetcherTo, options, serve, serveRaw } from './servers.ts';

afterEach(closeServers);

const OK = 'HTTP/1.1 200 OK\r\n';
const TOO_SLOW = /server is too slow/;
const UNREADABLE = /response is incomplete, is not valid HTTP/;
const TOO_LARGE = /is too large/;

async function failureFrom(port: number, bytesMax = 1000, scheme = 'http') {
  const startedAt = Date.now();
  const error = await failureOf(
    fetcherTo(port).fetch(`${scheme}://127.0.0.1:${port}/`, options({ bytesMax })),
  );
  return { error, message: error.message, ms: Date.now() - startedAt };
}

/** Writes repeatedly until the connection closes. */
function forever(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Writes as fast as the other side reads. Returns the number of bytes. */
function flood(socket: Socket, piece: Buffer): () => number {
  const pour = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', pour);
  pour();
  return () => socket.bytesWritten;
}

describe('a slow server', () => {
  // All run in parallel, since each takes several seconds.
  testInWhole(
    'is aborted after 5 s of silence, after 10 s in total, and after 3 s without a connection',
    async () => {
      const silences = await Promise.all([
        serveRaw(() => undefined),
        serveRaw((socket) => socket.write(`${OK}Content-Len`)),
        serveRaw((socket) => socket.write(`${OK}Content-Length: 10\r\n\r\n`)),
        serveRaw((socket) => socket.write(`${OK}Content-Length: 10\r\n\r\nhalf`)),
        serveRaw((socket) => socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`)),
      ]);
      const drips = await Promise.all([
        serveRaw((socket) => {
          socket.write(`${OK}A: `);
          forever(socket, 'b', 700);
        }),
        serveRaw((socket) => {
          socket.write(OK);
          forever(socket, 'A: b\r\n', 700);
        }),
        serveRaw((socket) => forever(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 700)),
        serveRaw((socket) => {
          socket.write(`${OK}Content-Length: 1000\r\n\r\n`);
          forever(socket, 'a', 700);
        }),
        serveRaw((socket) => {
          socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`);
          forever(socket, '1\r\na\r\n', 700);
        }),
        serve((request, response) => {
          const hop = Number(request.url?.slice(1) || 0);
          setTimeout(() => response.writeHead(302, { location: `/${hop + 1}` }).end(), 4000).unref();
        }),
      ]);
      const mute = await serveRaw(() => undefined);
      const [slow, dripping, unconnected, unresolved] = await Promise.all([
        Promise.all(silences.map((port) => failureFrom(port))),
        Promise.all(drips.map((port) => failureFrom(port))),
        failureFrom(mute, 1000, 'https'),
        failureOf(fetcherTo(1, () => new Promise(() => undefined)).fetch('http://a.test/', options())),
      ]);
      expect(unresolved.message).toMatch(TOO_SLOW);
      for (const { message } of [...slow, ...dripping]) expect(message).toMatch(TOO_SLOW);
      expect(unconnected.error.failure).toBe('refused');
      // A busy machine ends them later, but in this order. Some of the dripping ones take the whole time.
      const timesOf = (some: typeof slow) => some.map(({ ms }) => ms);
      expect(unconnected.ms).toBeLessThan(Math.min(...timesOf(slow)));
      expect(Math.max(...timesOf(slow))).toBeLessThan(Math.max(...timesOf(dripping)));
      expect(Math.max(...timesOf(dripping))).toBeLessThan(20_000);
    },
  );
});

describe('a server that sends too much', () => {
  test('is read up to the last permitted byte', async () => {
    const port = await serve((_request, response) => response.end('a'.repeat(1000)));
    const bytes = await fetcherTo(port).fetch(`http://127.0.0.1:${port}/`, options({ bytesMax: 1000 }));
    expect(bytes).toHaveLength(1000);
    expect((await failureFrom(port, 999)).message).toMatch(TOO_LARGE);
  });

  test('with a Content-Length over the limit is not read', async () => {
    const port = await serveRaw((socket) => socket.write(`${OK}Content-Length: 1001\r\n\r\n`));
    const { message, error } = await failureFrom(port);
    expect(message).toMatch(TOO_LARGE);
    expect(causeOf(error)).toBe('1001 bytes of 1000');
  });

  test.each([
    ['in chunks', 'Transfer-Encoding: chunked\r\n', `10000\r\n${'a'.repeat(65_536)}\r\n`],
    ['without a length', '', 'a'.repeat(65_536)],
    [
      'with a length that is not a safe integer',
      'Content-Length: 99999999999999999999999\r\n',
      'a'.repeat(65_536),
    ],
    ['with a length over 2^53', 'Content-Length: 9007199254740993\r\n', 'a'.repeat(65_536)],
  ])('with an endless response %s is cut off near the limit', async (_what, header, piece) => {
    let sent = (): number => 0;
    const port = await serveRaw((socket) => {
      socket.write(`${OK}${header}\r\n`);
      sent = flood(socket, Buffer.from(piece));
    });
    const { error } = await failureFrom(port, 1_000_000);
    expect(['large', 'unreadable']).toContain(error.failure);
    expect(sent()).toBeLessThan(32 * 1024 * 1024);
  });

  test('in its headers is disconnected', async () => {
    let sent = (): number => 0;
    const port = await serveRaw((socket) => {
      socket.write(OK);
      sent = flood(socket, Buffer.from(`X-Filler: ${'a'.repeat(1000)}\r\n`));
    });
    expect((await failureFrom(port)).message).toMatch(UNREADABLE);
    expect(sent()).toBeLessThan(32 * 1024 * 1024);
  });

  test('in one header is disconnected', async () => {
    const port = await serve((_request, response) => {
      response.setHeader('X-Filler', 'a'.repeat(20_000));
      response.end('a');
    });
    expect((await failureFrom(port)).message).toMatch(UNREADABLE);
  });

  test('in interim responses is disconnected', async () => {
    let sent = (): number => 0;
    const port = await serveRaw((socket) => {
      sent = flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)));
    });
    const { message } = await failureFrom(port);
    expect(message).toMatch(UNREADABLE);
    expect(sent()).toBeLessThan(32 * 1024 * 1024);
  });

  test('than its Content-Length is read up to that length, or not at all', async () => {
    const port = await serveRaw((socket) => socket.end(`${OK}Content-Length: 4\r\n\r\nfour and more`));
    const outcome = await fetcherTo(port)
      .fetch(`http://127.0.0.1:${port}/`, options())
      .then(String, (error: Error) => error.message);
    expect(outcome === 'four' || UNREADABLE.test(outcome)).toBe(true);
  });
});

describe('a response is rejected', () => {
  test.each([
    ['with gzip', 'gzip', gzipSync('document')],
    ['with gzip in capitals', 'GZIP', gzipSync('document')],
    ['with brotli', 'br', brotliCompressSync('document')],
    ['with several encodings', 'identity, gzip', gzipSync('document')],
    ['with a wrong encoding', 'gzip', Buffer.from('document')],
    ['with an unknown encoding', 'x-coding', Buffer.from('document')],
  ])('%s', async (_what, coding, bytes) => {
    const port = await serve((_request, response) => {
      response.setHeader('Content-Encoding', coding).end(bytes);
    });
    expect((await failureFrom(port)).message).toMatch(UNREADABLE);
  });

  test.each([
    ['that is shorter than its length', `${OK}Content-Length: 10\r\n\r\nshort`],
    ['with an unterminated chunk list', `${OK}Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n`],
    ['with invalid chunks', `${OK}Transfer-Encoding: chunked\r\n\r\nfour`],
    [
      'with a compressed transfer encoding',
      `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n`,
    ],
    ['with two lengths', `${OK}Content-Length: 4\r\nContent-Length: 5\r\n\r\nfours`],
    [
      'with a length and chunks',
      `${OK}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n`,
    ],
    ['with a negative length', `${OK}Content-Length: -1\r\n\r\nfour`],
    ['that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['that is of HTTP 0.9', '<html>hello</html>'],
    ['that is empty', ''],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [
      'that switches the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
    ],
  ])('%s', async (_what, text) => {
    const port = await serveRaw((socket) => socket.end(text));
    const { error } = await failureFrom(port);
    expect(error.failure).toBe('unreadable');
  });

  test('when the connection is reset', async () => {
    const port = await serveRaw((socket) => {
      socket.write(`${OK}Content-Length: 10\r\n\r\nshort`, () => socket.resetAndDestroy());
    });
    expect((await failureFrom(port)).error.failure).toBe('unreadable');
  });

  test.each([201, 204, 206, 300, 304, 400, 401, 403, 404, 407, 500, 503])(
    'with status %i and a document',
    async (status) => {
      const port = await serve((_request, response) => {
        response.writeHead(status, { 'retry-after': '1' }).end('document');
      });
      const { error } = await failureFrom(port);
      expect(error.message).toMatch(/status of the response is not 200/);
      expect(causeOf(error)).toBe(`127.0.0.1: ${status}`);
    },
  );
});
