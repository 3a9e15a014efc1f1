import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { few, testInWhole } from '@scriptorium/testing/extent';
import { seriesValue } from '@scriptorium/testing/prometheus-text';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await rig.close();
});

/** Opens a connection from this loopback address, and sends this. */
async function open(from: string, text = ''): Promise<Socket> {
  const { hostname, port } = new URL(rig.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  socket.on('error', () => undefined);
  socket.resume();
  sockets.push(socket);
  // The server may reset it at once.
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined);
  if (text !== '') socket.write(text);
  return socket;
}

async function openMany(count: number, from: string, text = ''): Promise<Socket[]> {
  const opened: Socket[] = [];
  while (opened.length < count)
    opened.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(200, count - opened.length) }, () => open(from, text)),
      )),
    );
  return opened;
}

const isOpen = (socket: Socket): boolean => !socket.destroyed;
const refusals = async (limit: string) =>
  seriesValue(await rig.metrics(), 'scriptorium_connections_refused_total', { limit }) ?? 0;

/** Expects an answer to a request from this address. */
async function expectAnswer(from: string): Promise<void> {
  const socket = await open(from, 'GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 60_000).unref())]);
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
}

const LIVEZ = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';

describe('thousands of connections of one network', () => {
  const kinds = [
    ['that begin a header', 'GET /livez HTTP/1.1\r\nHo'],
    ['that send nothing', ''],
    ['that stay open after an answer', LIVEZ],
  ] as const;
  testInWhole.each(few(kinds, 1, 1))('%s leave others served', async (_name, text) => {
    rig = await startRig();
    await openMany(3_000, '127.0.0.2', text);
    expect(await until(async () => (await refusals('network')) > 500)).toBe(true);
    expect(await until(() => sockets.filter(isOpen).length <= 512)).toBe(true);
    for (let i = 3; i < 13; i++) await expectAnswer(`127.0.0.${i}`);
    // Even theirs are served again when those without a request have been closed.
    expect(await until(() => sockets.filter(isOpen).length < 256)).toBe(true);
    await expectAnswer('127.0.0.2');
  });
});

test('connections without a request are closed early only where many are open', async () => {
  rig = await startRig({ NETWORK_CONNECTIONS_MAX: '40' });
  const few = await openMany(10, '127.0.0.2', LIVEZ);
  const many = await openMany(30, '127.0.0.3', LIVEZ);
  expect(await until(() => many.filter(isOpen).length < 20)).toBe(true);
  expect(few.every(isOpen)).toBe(true);
});

test('a request in flight is never closed for this', async () => {
  rig = await startRig({ NETWORK_CONNECTIONS_MAX: '10' });
  const { key } = await rig.newKey();
  const waiting = rig.post(key, Buffer.from('PK'));
  expect(await until(async () => (await rig.waiting('convert')) === 1)).toBe(true);
  const idle = await openMany(8, '127.0.0.1');
  expect(await until(() => idle.some((socket) => !isOpen(socket)))).toBe(true);
  await rig.convertWith(async (bytes) => bytes);
  expect((await waiting).status).toBe(200);
});

testInWhole('many networks together are bounded, and idle connections make room', async () => {
  rig = await startRig({ CONNECTIONS_MAX: '200' });
  for (let i = 2; i < 12; i++) await openMany(30, `127.0.0.${i}`);
  expect(await until(async () => (await refusals('total')) > 50)).toBe(true);
  expect(await until(() => sockets.filter(isOpen).length <= 200)).toBe(true);
  expect(await until(() => sockets.filter(isOpen).length < 110)).toBe(true);
  await expectAnswer('127.0.0.99');
});

test('the bound on a network does not apply behind a proxy', async () => {
  rig = await startRig({ NETWORK_CONNECTIONS_MAX: '10', TRUST_PROXY_HOPS: '1' });
  const opened = await openMany(50, '127.0.0.2');
  await expectAnswer('127.0.0.2');
  expect(opened.every(isOpen)).toBe(true);
});
