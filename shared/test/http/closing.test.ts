import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { listen } from '../../src/http/server.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
/** More than the buffers of both sides. */
const BIG = Buffer.alloc(64 * 1024 * 1024, 'x');

const ANSWER_MS_MAX = 60_000;
/** A route that rejects before the end of the body: such an answer keeps the connection open. */
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

async function serve(app: RequestListener) {
  const server = await listen(app, '127.0.0.1', 0, 10_000);
  return {
    server,
    async call(text = ''): Promise<Socket> {
      const socket = connect(Number(server.address.split(':')[1]), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    },
  };
}

async function textFrom(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('latin1');
}

describe('a closing server', () => {
  test('waits for a caller who reads slowly, while other connections are idle', async () => {
    const { server, call } = await serve((_request, response) => response.end(BIG));
    const slow = await call(REQUEST);
    await once(slow, 'readable');
    const closed = server.close(0, ANSWER_MS_MAX);
    await sleep(300);
    expect((await textFrom(slow)).length).toBeGreaterThan(BIG.length);
    await closed;
  });

  test('does not wait for an unused connection', async () => {
    const { server, call } = await serve((_request, response) => response.end('hello'));
    const unused = await call();
    const used = await call(REQUEST);
    await once(used, 'data');
    await server.close(0, ANSWER_MS_MAX);
    await Promise.all([unused, used].map((socket) => socket.destroyed || once(socket, 'close')));
  });

  test('answers started requests with Connection: close', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const { server, call } = await serve((_request, response) => {
      asked();
      setTimeout(() => response.end('hello'), 300);
    });
    const caller = await call(REQUEST);
    await isAsked;
    const closed = server.close(0, ANSWER_MS_MAX);
    expect(await textFrom(caller)).toMatch(/\r\nConnection: close\r\n.*hello$/s);
    await closed;
  });

  testInWhole('rejects a stalled request after the timeout', async () => {
    const { server, call } = await serve((_request, response) => response.end('hello'));
    const stuck = await call('POST / HTTP/1.1\r\nHo');
    await sleep(50);
    const closed = server.close(0, ANSWER_MS_MAX);
    expect(await textFrom(stuck)).toMatch(/^HTTP\/1\.1 408 /);
    await closed;
  });

  test('waits at most the answer time for a caller who keeps sending requests', async () => {
    const { server, call } = await serve((request, response) => {
      request.resume();
      response.end('no');
    });
    const caller = await call(POST);
    const sending = setInterval(() => caller.write(`body${POST}`), 20);
    await once(caller, 'data');
    await server.close(0, 500);
    clearInterval(sending);
  });

  test('waits at most the answer time for a caller who never reads', async () => {
    const { server, call } = await serve((_request, response) => response.end(BIG));
    const deaf = await call(REQUEST);
    await once(deaf, 'readable');
    await server.close(0, 500);
  });
});
