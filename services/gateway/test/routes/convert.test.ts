import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { seriesValue } from '@scriptorium/testing/prometheus-text';
import { until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

let rig: Rig;
let stopConverter: (() => Promise<void>) | undefined;

beforeAll(async () => {
  rig = await startRig({ KEY_CONCURRENCY_MAX: '3', QUEUE_LENGTH_MAX: '4' });
});
afterEach(async () => {
  await stopConverter?.();
  stopConverter = undefined;
});
afterAll(() => rig.close());

const upperCase = async (bytes: Buffer) => Buffer.from(`%PDF ${bytes.length}`);
const never = (signal: AbortSignal) =>
  new Promise<Buffer>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );

describe('a conversion', () => {
  test('returns the bytes of the worker, their type, a name and timings', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    const document = docxWith(['Hello']);
    const response = await rig.post(key, document);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(`%PDF ${document.length}`);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="letter.pdf"');
    expect(response.headers.get('x-page-count')).toBe('1');
    expect(response.headers.get('server-timing')).toMatch(
      /^queue;dur=[\d.]+, sanitize;dur=1.0, convert;dur=2.0$/,
    );
    expect(response.headers.get('x-request-id')).toMatch(/^req_[a-z2-7]{26}$/);
  });

  test('leaves no document in Redis once it has been answered', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    await Promise.all([rig.post(key, docxWith(['a'])), rig.post(key, docxWith(['b']))]);
    expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
  });

  test('keeps the uploaded name in any alphabet, without its folders', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    const form = new FormData();
    form.append('file', new Blob(['PK']), '../Vertrag für Müller\n.docx');
    const response = await fetch(`${rig.url}/v1/convert?from=docx`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    const disposition = response.headers.get('content-disposition') ?? '';
    expect(decodeURIComponent(disposition.split("filename*=UTF-8''")[1] ?? '')).toMatch(
      /^Vertrag für Müller.*\.pdf$/,
    );
    expect(disposition).not.toContain('..');
  });

  test('is canceled in the worker when the caller disconnects', async () => {
    let begun = false;
    let canceled = false;
    stopConverter = await rig.convertWith((_bytes, { signal }) => {
      begun = true;
      signal.addEventListener('abort', () => {
        canceled = true;
      });
      return never(signal);
    });
    const { key } = await rig.newKey();
    const caller = new AbortController();
    const answer = rig.post(key, docxWith(['x']), { signal: caller.signal }).catch(() => 'left');
    await until(() => begun);
    caller.abort();
    expect(await answer).toBe('left');
    expect(await until(() => canceled)).toBe(true);
    expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
  });

  test('returns 504 at the deadline and is canceled', async () => {
    const hasty = await startRig({ DEADLINE_MS: '3000' });
    let begun = false;
    let canceled = false;
    await hasty.convertWith((_bytes, { signal }) => {
      begun = true;
      signal.addEventListener('abort', () => {
        canceled = true;
      });
      return never(signal);
    });
    const { key } = await hasty.newKey();
    const response = await hasty.post(key, docxWith(['x']));
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: 'DEADLINE_EXCEEDED', error: 'Gateway Timeout' });
    // On a busy machine, the deadline can come before the worker takes the job.
    expect(await until(() => canceled === begun)).toBe(true);
    await hasty.close();
  });

  test('returns 503 at the wait limit without a worker, and does not run later', async () => {
    const hasty = await startRig({ QUEUE_WAIT_MS_MAX: '1000' });
    const { key } = await hasty.newKey();
    const response = await hasty.post(key, docxWith(['x']));
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'OVERLOADED' });
    const begun: Buffer[] = [];
    await hasty.convertWith(async (bytes) => {
      begun.push(bytes);
      return upperCase(bytes);
    });
    expect(await until(async () => (await hasty.post(key, docxWith(['y']))).status === 200)).toBe(true);
    expect(begun).not.toContainEqual(docxWith(['x']));
    await hasty.close();
  });

  test('hides the cause of a fault and returns the request id', async () => {
    stopConverter = await rig.convertWith(() => Promise.reject(new Error('secret path /etc/engine')));
    const { key } = await rig.newKey();
    const response = await rig.post(key, docxWith(['x']));
    const body = (await response.json()) as { requestId: string };
    expect(response.status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(body).toMatchObject({ code: 'INTERNAL_ERROR', requestId: response.headers.get('x-request-id') });
  });
});

describe('a caller who disconnects', () => {
  test('before the document is read releases the byte budget', async () => {
    const narrow = await startRig({ BYTES_IN_FLIGHT_MAX: '60000000' });
    const { key } = await narrow.newKey();
    const { hostname, port } = new URL(narrow.url);
    const head =
      `POST /v1/convert?from=docx HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 26214400\r\n\r\n';
    for (let i = 0; i < 5; i++)
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.destroy()));
        socket.on('close', () => resolve());
      });
    const stop = await narrow.convertWith(upperCase);
    expect((await narrow.post(key, docxWith(['still there']))).status).toBe(200);
    await stop();
    await narrow.close();
  });

  test('during the upload ends the request', async () => {
    const narrow = await startRig({ BYTES_IN_FLIGHT_MAX: '30000000' });
    const { key } = await narrow.newKey();
    const { key: other } = await narrow.newKey();
    const { hostname, port } = new URL(narrow.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/convert?from=docx HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
        'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 26214400\r\n\r\n' +
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.docx"\r\n\r\n',
    );
    socket.write(Buffer.alloc(26_000_000));
    const stop = await narrow.convertWith(upperCase);
    const isHeld = async () =>
      (seriesValue(await narrow.metrics(), 'scriptorium_held_bytes') ?? 0) >= 26_000_000;
    expect(await until(isHeld)).toBe(true);
    expect((await narrow.post(other, Buffer.alloc(5_000_000))).status).toBe(503);
    socket.destroy();
    expect(await until(async () => (await narrow.post(other, Buffer.alloc(5_000_000))).status === 200)).toBe(
      true,
    );
    await stop();
    await narrow.close();
  });
});

describe('limits', () => {
  test('are not used up by commands that timed out while Redis hung', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    await rig.post(key, docxWith(['x']));
    rig.redis.pause();
    const during = await Promise.all([1, 2, 3, 4].map(() => rig.post(key, docxWith(['x']))));
    rig.redis.resume();
    expect(during.map((response) => response.status)).toEqual([503, 503, 503, 503]);
    expect(await until(async () => (await rig.post(key, docxWith(['x']))).status === 200)).toBe(true);
  });

  test('reject a key over its requests in flight with 429 and Retry-After, and accept it afterwards', async () => {
    let release = () => undefined as unknown;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    stopConverter = await rig.convertWith(async (bytes) => {
      await gate;
      return upperCase(bytes);
    }, 8);
    const { key } = await rig.newKey();
    const held = [1, 2, 3].map(() => rig.post(key, docxWith(['x'])));
    await until(async () => (await rig.blobKeys()).length === 3);
    const refused = await rig.post(key, docxWith(['x']));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'CONCURRENCY_LIMIT' });
    const other = await rig.newKey();
    const others = rig.post(other.key, docxWith(['y']));
    release();
    expect((await others).status).toBe(200);
    expect((await Promise.all(held)).map((response) => response.status)).toEqual([200, 200, 200]);
    expect((await rig.post(key, docxWith(['x']))).status).toBe(200);
  });

  test('reject at once with 503 and Retry-After when the queue is full', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => rig.newKey()));
    const waiting = [0, 0, 1, 1].map((i) => rig.post(keys[i]?.key ?? '', docxWith(['x'])));
    await until(async () => (await rig.blobKeys()).length === 4);
    const refused = await rig.post(keys[2]?.key ?? '', docxWith(['x']));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    // Those that have waited get another message.
    const message = expect.stringContaining('The queue has reached its limit');
    expect(await refused.json()).toMatchObject({ code: 'OVERLOADED', message });
    stopConverter = await rig.convertWith(upperCase);
    expect((await Promise.all(waiting)).map((response) => response.status)).toEqual([200, 200, 200, 200]);
  });

  test('are reported on every answer', async () => {
    stopConverter = await rig.convertWith(upperCase);
    const { key } = await rig.newKey();
    const first = await rig.post(key, docxWith(['x']));
    const second = await rig.post(key, docxWith(['x']));
    expect(first.headers.get('x-ratelimit-limit')).toBe('600');
    expect(
      Number(first.headers.get('x-ratelimit-remaining')) -
        Number(second.headers.get('x-ratelimit-remaining')),
    ).toBe(1);
    const reset = Number(first.headers.get('x-ratelimit-reset')) * 1000 - Date.now();
    expect(reset).toBeGreaterThan(0);
    expect(reset).toBeLessThanOrEqual(62_000);
  });
});
