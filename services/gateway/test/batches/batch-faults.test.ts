import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { answerOf, expectWhole, type Line, linesOf, rowsOf, stream, textIn } from '../rigs/batch-rig.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { docx, until } from '../rigs/signing-rig.ts';

let rig: Rig;
let key: string;
beforeEach(async () => {
  rig = await startRig({ QUEUE_WAIT_MS_MAX: '1500', KEY_CONCURRENCY_MAX: '3' });
  key = (await rig.newKey()).key;
});
afterEach(async () => {
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
  await rig.close();
});

const numberOf = (json: unknown): number => (json as { number: number }).number;
const echo = async ({ json }: { json: unknown }) => Buffer.from(` ${JSON.stringify(json)}`);

function expectOwnTexts(lines: readonly Line[]): void {
  for (const line of lines) if (line.document) expect(textIn(line)).toBe(`${docx} {"number":${line.index}}`);
}

describe('a batch under faults', () => {
  test('loses no row when packs fail for a while', async () => {
    let calls = 0;
    rig.fillRowsWith(echo, async (rows) => {
      if (rows > 0 && ++calls % 3 === 1) throw new AppError('UNAVAILABLE', 'The store is away.');
    });
    const lines = await answerOf(await stream(rig, key, linesOf({}, rowsOf(300))));
    expectWhole(lines, 300);
    expectOwnTexts(lines);
  });

  test('fails only the row that fails every pack', async () => {
    rig.fillRowsWith(async ({ json }) => {
      if (numberOf(json) === 13) throw new Error('a fault of the worker');
      return await echo({ json });
    });
    const lines = await answerOf(await stream(rig, key, linesOf({}, rowsOf(100))));
    expectWhole(lines, 100, 1);
    expectOwnTexts(lines);
    expect(lines.find(({ index }) => index === 13)?.error).toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  test('sends rows again whose documents the converter cannot make for a while', async () => {
    let calls = 0;
    rig.fillRowsWith(async ({ json }) => {
      if (numberOf(json) % 10 === 0 && ++calls < 4) throw new AppError('UNAVAILABLE', 'No engine is there.');
      return await echo({ json });
    });
    expectWhole(await answerOf(await stream(rig, key, linesOf({}, rowsOf(50)))), 50);
  });

  test('loses no row when Redis is restarted and has lost everything', async () => {
    let filled = 0;
    rig.fillRowsWith(async (row) => {
      filled += 1;
      await delay(2);
      return await echo(row);
    });
    const answer = stream(rig, key, linesOf({}, rowsOf(600)));
    expect(await until(async () => filled > 100)).toBe(true);
    await rig.redis.kill();
    await rig.redis.start();
    const lines = await answerOf(await answer);
    expectWhole(lines, 600);
    expectOwnTexts(lines);
  });

  test('drops the rows of a caller who has left', async () => {
    let filled = 0;
    const dropped = Promise.withResolvers<void>();
    const stop = rig.fillRowsWith(async (row) => {
      if (++filled > 100) await dropped.promise;
      return await echo(row);
    });
    const leaving = new AbortController();
    const response = await stream(rig, key, linesOf({}, rowsOf(5_000)), { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
    dropped.resolve();
    await stop();
    expect(filled).toBeLessThan(2_000);
    expect(await rig.waiting('fill-rows')).toBe(0);
  });

  test('reads no more rows than a caller who does not read leaves room for', async () => {
    let filled = 0;
    const size = 40_000;
    rig.fillRowsWith(async () => {
      filled += 1;
      return Buffer.alloc(size, 'x');
    });
    const { hostname, port } = new URL(rig.url);
    const socket = connect(Number(port), hostname);
    socket.pause();
    const body = linesOf({}, rowsOf(1_200));
    socket.write(
      `POST /v1/batches HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
        `Content-Type: application/x-ndjson\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    let before = -1;
    expect(
      await until(async () => {
        const isQuiet = filled > 0 && filled === before;
        before = filled;
        await delay(300);
        return isQuiet;
      }),
    ).toBe(true);
    expect(filled).toBeLessThan(1_000);
    // Then it reads, and gets everything.
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.resume();
    const tail = (): string => Buffer.concat(chunks.slice(-2)).toString('latin1');
    expect(await until(async () => tail().includes('"summary"'), 60_000)).toBe(true);
    expect(
      Buffer.concat(chunks)
        .toString('latin1')
        .match(/\{"index":/g),
    ).toHaveLength(1_200);
    socket.destroy();
  });

  test('answers the begun rows when the gateway stops, and names the place to go on', async () => {
    let filled = 0;
    rig.fillRowsWith(async (row) => {
      filled += 1;
      await delay(5);
      return await echo(row);
    });
    const rows = rowsOf(3_000);
    const response = await stream(rig, key, linesOf({}, rows));
    const reading = answerOf(response);
    expect(await until(() => filled > 100)).toBe(true);
    await rig.stopGateway();
    const lines = await reading;
    const end = lines.at(-1);
    expect(end).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    const answered = new Set(lines.slice(0, -1).map(({ index }) => index));
    expect(answered.size).toBe(lines.length - 1);
    const { nextIndex = 0, answered: later = [] } = end ?? {};
    const claimed = [...Array.from({ length: nextIndex }, (_, at) => at), ...later];
    expect([...answered].sort()).toEqual(claimed.sort());
    expect(nextIndex).toBeGreaterThan(0);
    expect(answered.size).toBeLessThan(3_000);
  });

  test('goes on with others when a caller leaves after the early end of their batch', async () => {
    rig.fillRowsWith(async ({ json }) => {
      if (numberOf(json) === 1) throw new AppError('DATA_MISSING', 'Nothing there.');
      return await echo({ json });
    });
    const leaving = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(linesOf({ options: { onError: 'stop' } }, rowsOf(5))));
      },
    });
    const lines = await answerOf(await stream(rig, key, body, { signal: leaving.signal }));
    expect(lines.at(-1)).toMatchObject({ error: { code: 'DATA_MISSING' } });
    leaving.abort();
    await delay(200);
    expectWhole(await answerOf(await stream(rig, key, linesOf({}, rowsOf(1)))), 1);
  });

  test('lets the single request of another key go first', async () => {
    let filled = 0;
    const answered = Promise.withResolvers<void>();
    rig.fillRowsWith(
      async (row) => {
        if (++filled > 20) await answered.promise;
        return await echo(row);
      },
      undefined,
      1,
    );
    rig.generateWith(async ({ source }) => {
      return { bytes: source, report: (await import('../rigs/workers.ts')).GENERATE_REPORT };
    });
    const batch = stream(rig, key, linesOf({}, rowsOf(400)));
    expect(await until(() => filled > 20)).toBe(true);
    const other = (await rig.newKey()).key;
    const single = await rig.postJson(other, '/v1/generate', {
      document: { base64: docx.toString('base64') },
      data: {},
    });
    expect(single.status).toBe(200);
    answered.resolve();
    expectWhole(await answerOf(await batch), 400);
  });

  test('counts as one request in flight', async () => {
    const release = Promise.withResolvers<void>();
    rig.fillRowsWith(echo, async (rows) => (rows > 0 ? release.promise : undefined));
    const { key: own } = await rig.newKey();
    const batches = Array.from({ length: 3 }, () => stream(rig, own, linesOf({}, rowsOf(20))));
    const places = async () => (await rig.everythingInRedis('*:places:*')).toString().match(/req_/g)?.length;
    expect(await until(async () => (await places()) === 3)).toBe(true);
    const refused = await stream(rig, own, linesOf({}, rowsOf(1)));
    expect(refused.status).toBe(429);
    release.resolve();
    for (const batch of batches) expectWhole(await answerOf(await batch), 20);
  });
});
