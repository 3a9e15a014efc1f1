import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { seriesValue } from '@scriptorium/testing/prometheus-text';
import { openRequest, until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

const BUDGET = 2 * 1024 * 1024;
const STEP = 64 * 1024;
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=b';
const PART = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.docx"\r\n\r\n';

let rig: Rig;
let server: Server;
const asked: { path: string; response: ServerResponse }[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', response });
  }).listen(0, '127.0.0.1');
  await until(() => server.listening);
  rig = await startRig({
    JSON_BYTES_MAX: '1900000',
    UPLOAD_BYTES_MAX: '1400000',
    BYTES_IN_FLIGHT_MAX: String(BUDGET),
    KEY_FETCHES_MAX: '2',
    FETCH_ALLOW: `127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  rig.annotateWith(async ({ source }) => source);
});
afterAll(async () => {
  await rig.close();
  server.closeAllConnections();
  server.close();
});

const newKey = async () => (await rig.newKey()).key;
const held = async () => seriesValue(await rig.metrics(), 'scriptorium_held_bytes') ?? Number.NaN;
const outside = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const documentOf = (bytes: number) => ({ base64: Buffer.alloc(bytes, 'PK').toString('base64') });
const bodyOf = (bytes: number) => JSON.stringify({ document: documentOf(bytes), fields: [] });

/** Begins a body to `annotate` of this length, and sends the first bytes of it. */
function begin(key: string, body: string, sent = body.length) {
  const request = openRequest(rig.url, key, '/v1/annotate', {
    'content-type': JSON_TYPE,
    'content-length': body.length,
    connection: 'close',
  });
  request.socket.write(body.slice(0, sent));
  return { ...request, sendRest: () => request.socket.write(body.slice(sent)) };
}

describe('the byte budget', () => {
  test('is not used up by sockets that announce large bodies and send nothing', async () => {
    const kinds = [
      ['/v1/annotate', JSON_TYPE, 1_900_000],
      ['/v1/convert?from=docx', MULTIPART, 1_400_000],
      ['/v1/batches', 'application/x-ndjson', 1_900_000],
    ] as const;
    const requests: ReturnType<typeof openRequest>[] = [];
    for (const key of [await newKey(), await newKey()])
      for (const [path, type, length] of [...kinds, ...kinds, ...kinds])
        requests.push(openRequest(rig.url, key, path, { 'content-type': type, 'content-length': length }));
    expect(await until(async () => (await held()) > 0)).toBe(true);
    expect(await held()).toBeLessThanOrEqual(18 * STEP);
    expect((await rig.postJson(await newKey(), '/v1/annotate', bodyOf(500_000))).status).toBe(200);
    for (const { socket } of requests) socket.destroy();
    expect(await until(async () => (await held()) === 0)).toBe(true);
  });

  test.each([
    ['a JSON body', '/v1/annotate', JSON_TYPE, '{"document":{"base64":"'],
    ['a form', '/v1/convert?from=docx', MULTIPART, PART],
    ['a line of a batch', '/v1/batches', 'application/x-ndjson', '{"document":{"base64":"'],
  ])('counts at least what has come of %s, and little more', async (_name, path, type, start) => {
    const { socket } = openRequest(rig.url, await newKey(), path, {
      'content-type': type,
      'transfer-encoding': 'chunked',
    });
    const send = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    send(start);
    for (let sent = 0; sent < 1_000_000; ) {
      send('A'.repeat(100_000));
      sent += 100_000;
      expect(await until(async () => (await held()) >= sent)).toBe(true);
      expect(await held()).toBeLessThanOrEqual(sent + 2 * STEP);
    }
    socket.destroy();
    expect(await until(async () => (await held()) === 0)).toBe(true);
  });

  test('lets the oldest of many half-received bodies arrive, and refuses the younger with Retry-After', async () => {
    const body = bodyOf(700_000);
    const requests: ReturnType<typeof begin>[] = [];
    for (let i = 0; i < 6; i++) {
      requests.push(begin(await newKey(), body, 320_000));
      await until(async () => (await held()) >= (i + 1) * 320_000);
    }
    for (const { sendRest } of requests) sendRest();
    expect(await until(() => requests.every(({ text }) => text().includes('\r\n\r\n')))).toBe(true);
    const [oldest, ...younger] = requests.map(({ text }) => text());
    expect(oldest).toMatch(/^HTTP\/1\.1 200 /);
    const refused = younger.filter((text) => !text.startsWith('HTTP/1.1 200 '));
    expect(refused.length).toBeGreaterThan(0);
    for (const text of refused) {
      expect(text).toMatch(/^HTTP\/1\.1 503 /);
      expect(text).toMatch(/Retry-After: \d+/);
      expect(text).toContain('"code":"OVERLOADED"');
    }
    expect(await until(async () => (await held()) === 0)).toBe(true);
  });

  test('is shared: the owner who holds most makes room for others', async () => {
    const hog = await newKey();
    const older = begin(hog, bodyOf(700_000), 500_000);
    expect(await until(async () => (await held()) >= 500_000)).toBe(true);
    const younger = begin(hog, bodyOf(700_000), 500_000);
    expect(await until(async () => (await held()) >= 1_000_000)).toBe(true);
    const small = begin(await newKey(), bodyOf(300_000), 350_000);
    const second = begin(await newKey(), bodyOf(600_000));
    expect(await until(() => second.text().startsWith('HTTP/1.1 200 '))).toBe(true);
    expect(await until(() => younger.text().startsWith('HTTP/1.1 503 '))).toBe(true);
    small.sendRest();
    older.sendRest();
    expect(await until(() => small.text().startsWith('HTTP/1.1 200 '))).toBe(true);
    expect(await until(() => older.text().startsWith('HTTP/1.1 200 '))).toBe(true);
  });

  test('gives one owner with several requests at most three quarters', async () => {
    const key = await newKey();
    const first = begin(key, bodyOf(700_000), 900_000);
    expect(await until(async () => (await held()) >= 900_000)).toBe(true);
    const second = begin(key, bodyOf(700_000), 900_000);
    expect(await until(() => second.text().includes('CONCURRENCY_LIMIT'))).toBe(true);
    expect(second.text()).toMatch(/^HTTP\/1\.1 429 /);
    first.sendRest();
    expect(await until(() => first.text().startsWith('HTTP/1.1 200 '))).toBe(true);
  });

  test('holds of a form what can be dropped: a long JSON part needs a file name', async () => {
    const key = await newKey();
    const request = JSON.stringify({ fields: [{ id: 'a', type: 'text', value: 'x'.repeat(300_000) }] });
    const send = async (part: string | Blob) => {
      const body = new FormData();
      body.append('file', new Blob(['PK']), 'a.docx');
      body.append('request', part);
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${rig.url}/v1/annotate`, { method: 'POST', headers, body });
      return { status: response.status, ...((await response.json()) as object) };
    };
    expect(await send(request)).toMatchObject({
      status: 400,
      details: [{ field: 'request', issue: 'has more than 262144 bytes: send it with a file name' }],
    });
    expect(await send(new Blob([request]))).toMatchObject({ status: 200 });
    expect(await until(async () => (await held()) === 0)).toBe(true);
  });

  test('does not count long runs of blanks, which are not kept', async () => {
    const { socket } = openRequest(rig.url, await newKey(), '/v1/annotate', {
      'content-type': JSON_TYPE,
      'content-length': 1_800_000,
    });
    socket.write(`{"document":${' '.repeat(1_700_000)}`);
    await sleep(300);
    expect(await held()).toBeLessThanOrEqual(2 * STEP);
    socket.destroy();
  });
});

describe('fetched bytes', () => {
  const annotate = async (path: string, key?: string) =>
    rig.postJson(key ?? (await newKey()), '/v1/annotate', { document: { url: outside(path) }, fields: [] });
  const responseTo = async (path: string): Promise<ServerResponse> => {
    expect(await until(() => asked.some((one) => one.path === path))).toBe(true);
    return asked.find((one) => one.path === path)?.response as ServerResponse;
  };

  test('are charged as they arrive', async () => {
    const answers = ['/a', '/b', '/c', '/d'].map((path) => annotate(path));
    for (const path of ['/a', '/b', '/c', '/d']) {
      const response = await responseTo(path);
      response.writeHead(200, { 'content-length': 300_000 }).write(Buffer.alloc(200_000, 'PK'));
    }
    expect(await until(async () => (await held()) >= 800_000)).toBe(true);
    expect(await held()).toBeLessThanOrEqual(4 * (200_000 + 2 * STEP));
    for (const path of ['/a', '/b', '/c', '/d']) (await responseTo(path)).end(Buffer.alloc(100_000, 'PK'));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('that do not fit are refused with 503, and the fetch ends', async () => {
    const fill = begin(await newKey(), bodyOf(1_300_000), 1_300_000);
    expect(await until(async () => (await held()) >= 1_300_000)).toBe(true);
    const answer = annotate('/large');
    const response = await responseTo('/large');
    let isClosed = false;
    response.on('close', () => {
      isClosed = true;
    });
    response.writeHead(200).write(Buffer.alloc(1_200_000, 'PK'));
    const refused = await answer;
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(await refused.json()).toMatchObject({ code: 'OVERLOADED' });
    expect(await until(() => isClosed)).toBe(true);
    fill.socket.destroy();
  });

  test('come from a bounded number of URLs at a time for one owner', async () => {
    const { key } = await rig.newKey();
    const answers = ['/1', '/2', '/3', '/4'].map((path) => annotate(path, key));
    const pending = () => asked.filter(({ path }) => /^\/[1-4]$/.test(path));
    expect(await until(() => pending().length === 2)).toBe(true);
    const other = annotate('/other');
    (await responseTo('/other')).end('PK');
    expect((await other).status).toBe(200);
    expect(pending()).toHaveLength(2);
    for (let i = 0; i < 4; i++) {
      expect(await until(() => pending().length > i)).toBe(true);
      pending()[i]?.response.end('PK');
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

describe('a body', () => {
  /** Keeps its pace on a busy machine too, whose timers come late. */
  const trickle = (write: (bytes: number) => void, bytesPerSecond: number) => {
    const startedAt = performance.now();
    let sent = 0;
    return setInterval(() => {
      const bytes = Math.round((bytesPerSecond * (performance.now() - startedAt)) / 1_000) - sent;
      sent += bytes;
      write(bytes);
    }, 250);
  };

  testInWhole(
    'that is slower than 16 KiB per second over 10 seconds is cut off with 408; a faster one is not',
    async () => {
      const start = '{"document":{"base64":"';
      const open = async (path: string, type: string, begun: string, pace: number) => {
        const request = openRequest(rig.url, await newKey(), path, {
          'content-type': type,
          'transfer-encoding': 'chunked',
        });
        const write = (text: string) => request.socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
        write(begun);
        const timer = trickle((bytes) => request.socket.writable && write('A'.repeat(bytes)), pace);
        return { ...request, timer, at: Date.now() };
      };
      const slow = [
        await open('/v1/annotate', JSON_TYPE, start, 12_000),
        await open('/v1/convert?from=docx', MULTIPART, PART, 12_000),
        await open('/v1/batches', 'application/x-ndjson', `${start}${'A'.repeat(70_000)}`, 5_000),
      ];
      const fine = await open('/v1/annotate', JSON_TYPE, start, 24_000);
      expect(await until(() => slow.every(({ text }) => text().includes('\r\n\r\n')))).toBe(true);
      for (const { text, at, socket, timer } of slow) {
        expect(Date.now() - at).toBeGreaterThan(9_000);
        expect(text()).toMatch(/^HTTP\/1\.1 408 /);
        expect(text()).toContain('"code":"REQUEST_TIMEOUT"');
        clearInterval(timer);
        expect(await until(() => socket.closed)).toBe(true);
        socket.destroy();
      }
      await sleep(2_000);
      expect(fine.text()).toBe('');
      clearInterval(fine.timer);
      fine.socket.destroy();
    },
  );

  test('whose last bytes come within ten seconds is answered', async () => {
    const body = bodyOf(30_000);
    const request = begin(await newKey(), body, body.length - 5);
    await sleep(5_000);
    request.sendRest();
    expect(await until(() => request.text().startsWith('HTTP/1.1 200 '))).toBe(true);
  });
});
