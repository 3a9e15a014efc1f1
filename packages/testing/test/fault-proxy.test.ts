import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startBalancer } from '../src/balancer.ts';
import { type Address, type FaultProxy, startFaultProxy } from '../src/fault-proxy.ts';

let echo: Server;
let proxy: FaultProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await startFaultProxy(echo.address() as AddressInfo);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  echo.close();
});

async function connect(address: Address): Promise<Socket> {
  const client = createConnection(address);
  client.on('error', () => undefined);
  clients.push(client);
  await once(client, 'connect');
  return client;
}

/** Sends bytes, and returns the received bytes once they have the same length, with their pieces. */
async function exchange(client: Socket, text: string): Promise<{ text: string; pieces: number; ms: number }> {
  const startedAt = Date.now();
  client.write(text);
  let back = '';
  let pieces = 0;
  while (back.length < text.length) {
    const [data] = (await once(client, 'data')) as [Buffer];
    back += data;
    pieces += 1;
  }
  return { text: back, pieces, ms: Date.now() - startedAt };
}

describe('a fault proxy', () => {
  test('forwards everything in order, including the end, without faults', async () => {
    const client = await connect(proxy.address);
    const text = 'abcdefgh'.repeat(500_000);
    expect((await exchange(client, text)).text === text).toBe(true);
    client.end();
    await once(client, 'close');
  });

  test('delays each direction without slowing down later bytes', async () => {
    const client = await connect(proxy.address);
    proxy.spoil({ delayMs: 100 });
    // A delay of each of its pieces would take more than 10 s.
    const { ms } = await exchange(client, 'abcdefgh'.repeat(1_000_000));
    expect(ms).toBeGreaterThanOrEqual(200);
    expect(ms).toBeLessThan(10_000);
  });

  test('cuts every connection and accepts new ones', async () => {
    const client = await connect(proxy.address);
    await exchange(client, 'before');
    const closed = new Promise((resolve) => client.once('close', resolve));
    expect(proxy.cut()).toBe(1);
    await closed;
    expect((await exchange(await connect(proxy.address), 'after')).text).toBe('after');
  });

  test('holds bytes as a black hole for a while, and loses none', async () => {
    const client = await connect(proxy.address);
    proxy.spoil({ isBlackHole: true });
    const late = exchange(client, 'patience');
    const later = exchange(await connect(proxy.address), 'new here');
    expect(await Promise.race([late, later, sleep(300, 'nothing')])).toBe('nothing');
    proxy.mend();
    expect((await late).text).toBe('patience');
    expect((await later).text).toBe('new here');
  });

  test('forwards bytes in slices and at a bounded rate', async () => {
    const client = await connect(proxy.address);
    proxy.spoil({ sliceBytes: 1 });
    expect((await exchange(client, 'sliced')).text).toBe('sliced');
    proxy.mend();
    proxy.spoil({ bytesPerSecond: 1_000 });
    const { text, pieces, ms } = await exchange(client, 'x'.repeat(1_500));
    expect(text).toHaveLength(1_500);
    expect(pieces).toBeGreaterThan(1);
    expect(ms).toBeGreaterThanOrEqual(1_000);
  });

  test('works with a unix socket as well', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scriptorium-proxy-'));
    const local = await startFaultProxy(proxy.address, join(folder, 'line.sock'));
    expect((await exchange(await connect(local.address), 'over two lines')).text).toBe('over two lines');
    await local.close();
    rmSync(folder, { recursive: true });
  });
});

describe('a balancer', () => {
  let isReady = true;
  const serve = async (name: string): Promise<{ port: number; close(): void }> => {
    const server = createHttpServer((request, response) => {
      const refuses = request.url === '/readyz' && name === 'b' && !isReady;
      response.writeHead(refuses ? 503 : 200, { connection: 'close' }).end(name);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
  };

  test('uses servers in turn, and skips those that refuse or are not ready', async () => {
    const [a, b, c] = [await serve('a'), await serve('b'), await serve('c')];
    const balancer = await startBalancer([a.port, b.port]);
    balancer.add(c.port);
    const ask = async () => (await fetch(`http://127.0.0.1:${balancer.port}/`)).text();
    expect([await ask(), await ask(), await ask()].sort()).toEqual(['a', 'b', 'c']);
    a.close();
    expect([await ask(), await ask(), await ask(), await ask()]).not.toContain('a');
    isReady = false;
    // It looks at them from time to time.
    while ((await ask()) === 'b' || (await ask()) === 'b') await sleep(50);
    expect([await ask(), await ask()]).toEqual(['c', 'c']);
    await balancer.close();
    b.close();
    c.close();
  });
});
