import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ImagePlace } from '@scriptorium/docx-template/fields';
import { testInWhole } from '@scriptorium/testing/extent';
import { type Rig, startRig } from '../rigs/rig.ts';
import type { AnnotationAsked } from '../rigs/workers.ts';

const document = { base64: Buffer.from('PK').toString('base64') };
const dataUri = (bytes: string, type = 'image/png') =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** Requested paths of the server on loopback, and how many requests were open at a time. */
let requested: string[] = [];
let atATime = 0;
let atATimeMost = 0;

let server: Server;
let outside: string;
let rig: Rig;
let key: string;
let asked: AnnotationAsked;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const path = request.url ?? '';
    requested.push(path);
    atATimeMost = Math.max(atATimeMost, ++atATime);
    await new Promise((resolve) => setTimeout(resolve, 20));
    atATime -= 1;
    if (path === '/slow') return;
    if (path.startsWith('/missing')) response.statusCode = 404;
    response.end(path === '/empty' ? '' : `image of ${path}`.padEnd(Number(/\d+/.exec(path) ?? 0), '.'));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  outside = `http://127.0.0.1:${port}`;
  rig = await startRig({
    FETCH_ALLOW: `127.0.0.1:${port}`,
    IMAGE_BYTES_MAX: '20000',
    IMAGES_BYTES_MAX: '50000',
    UPLOAD_BYTES_MAX: '30000',
  });
  ({ key } = await rig.newKey());
  rig.annotateWith(async (request) => {
    asked = request;
    return request.source;
  });
});
beforeEach(() => {
  requested = [];
  atATimeMost = 0;
});
afterAll(async () => {
  await rig.close();
  server.closeAllConnections();
  server.close();
});

const annotate = (fields: unknown[], source: object = document) =>
  rig.postJson(key, '/v1/annotate', { document: source, fields });
const image = (value: string) => ({ id: 'a', type: 'image', value });
const imagesOf = () =>
  asked.fieldValues.map((field) => {
    const { start, bytes } = field.value as ImagePlace;
    return asked.images.subarray(start, start + bytes).toString();
  });

describe('the images of a request', () => {
  test('reach the worker from data URIs and from URLs', async () => {
    const response = await annotate([
      image(dataUri('first')),
      { group: 'g', type: 'signature', value: `${outside}/second`, options: { topLabel: { color: '#123' } } },
      image(dataUri('third, of another type', 'IMAGE/SVG+XML;charset=utf-8')),
    ]);
    expect(response.status).toBe(200);
    expect(imagesOf()).toEqual(['first', 'image of /second', 'third, of another type']);
    expect(asked.fieldValues[1]).toMatchObject({ group: 'g', options: { topLabel: { color: '#112233' } } });
  });

  test('are fetched and transferred once, even if several fields name them', async () => {
    await annotate([...Array(20).fill(image(`${outside}/logo`)), ...Array(20).fill(image(dataUri('seal')))]);
    expect(requested).toEqual(['/logo']);
    expect(imagesOf().slice(18, 22)).toEqual(['image of /logo', 'image of /logo', 'seal', 'seal']);
    expect(asked.images).toHaveLength('image of /logo'.length + 'seal'.length);
  });

  test('are fetched eight at a time', async () => {
    const response = await annotate(Array.from({ length: 40 }, (_, at) => image(`${outside}/n${at}`)));
    expect(response.status).toBe(200);
    expect(atATimeMost).toBeGreaterThan(1);
    expect(atATimeMost).toBeLessThanOrEqual(8);
    expect(imagesOf()[39]).toBe('image of /n39'.padEnd(39, '.'));
  });

  const FORM = 'must be a data URI `data:image/<format>;base64,…` or an http(s) URL';
  const NOT_BASE64 = 'is not base64 (RFC 4648 §4, padded, without line breaks)';
  test.each([
    [
      'bare base64',
      Buffer.from('not so short an image').toString('base64'),
      'looks like bare base64: put `data:image/<format>;base64,` before it',
    ],
    ['a word', 'logo.png', FORM],
    ['a path', 'file:///etc/passwd', FORM],
    ['a data URI of text', dataUri('x', 'text/html'), FORM],
    ['a data URI without a type', dataUri('x', ''), FORM],
    ['a data URI that is not in base64', 'data:image/svg+xml,<svg/>', FORM],
    ['a data URI with invalid base64', 'data:image/png;base64,iVBO!w==', NOT_BASE64],
    ['an empty data URI', 'data:image/png;base64,', 'is empty'],
    [
      'a data URI over the limit',
      dataUri('x'.repeat(20_001)),
      'has an image that exceeds the limit of 20000 bytes',
    ],
  ])('are rejected if a value is %s', async (_name, value, issue) => {
    const response = await annotate([{ id: 'b', value: 'x' }, image(value)]);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'IMAGE_INVALID',
      message: 'The images of these fields could not be loaded: fields[1].value.',
      details: [{ field: 'fields[1].value', issue }],
    });
  });

  testInWhole(
    'do not block the gateway if many long values differ only in their last characters',
    async () => {
      const letters = 'A'.repeat(19_000);
      const cpuOf = async (uriOf: (number: string) => string) => {
        const fields = Array.from({ length: 2_000 }, (_, at) => image(uriOf(String(at).padStart(4, '0'))));
        const body = JSON.stringify({ document, fields });
        const before = process.cpuUsage();
        expect((await rig.postJson(key, '/v1/annotate', body)).status).toBe(413);
        return process.cpuUsage(before).user;
      };
      const different = await cpuOf((number) => `data:image/png;base64,${number}${letters}`);
      const ofAlike = () => cpuOf((number) => `data:image/png;base64,${letters}${number}`);
      const alike = Math.min(await ofAlike(), await ofAlike());
      // To compare each with every other takes ten times as long.
      expect(alike).toBeLessThan(4 * different);
    },
  );

  test('that cannot be loaded are all listed', async () => {
    const response = await annotate([
      image(`${outside}/fine`),
      image(`${outside}/missing`),
      image('nonsense'),
      image(`${outside}/missing`),
      image(`${outside}/empty`),
      image(`${outside}/20001`),
      image('http://127.0.0.1:1/closed'),
      image('http://user:pass@example.com/'),
    ]);
    expect(response.status).toBe(400);
    const { code, details } = (await response.json()) as { code: string; details: { field: string }[] };
    expect(code).toBe('IMAGE_INVALID');
    expect(details.map(({ field }) => field).sort()).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((at) => `fields[${at}].value`),
    );
    expect(JSON.stringify(details)).not.toContain('127.0.0.1');
  });

  test('are rejected if they exceed the limit together', async () => {
    const response = await annotate(['a', 'b', 'c'].map((name) => image(`${outside}/${name}/19000`)));
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The images of the request exceed the limit of 50000 bytes.',
    });
  });

  test('are rejected before a fetch if they name too many URLs', async () => {
    const response = await annotate(Array.from({ length: 101 }, (_, at) => image(`${outside}/n${at}`)));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'fields', issue: 'must name at most 100 distinct URLs of images' }],
    });
    expect(requested).toEqual([]);
  });

  test('that do not arrive before the deadline cause 504', async () => {
    const hasty = await startRig({ DEADLINE_MS: '1000', FETCH_ALLOW: new URL(outside).host });
    const { key: own } = await hasty.newKey();
    const fields = [image(`${outside}/slow`)];
    const response = await hasty.postJson(own, '/v1/annotate', { document, fields });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    await hasty.close();
  });
});

describe('a document by URL', () => {
  test('is fetched', async () => {
    expect((await annotate([], { url: `${outside}/template.docx` })).status).toBe(200);
    expect(asked.source.toString()).toBe('image of /template.docx');
    expect(
      (await rig.postJson(key, '/v1/templates/inspect', { document: { url: `${outside}/missing` } })).status,
    ).toBe(400);
  });

  test.each(['/missing', '/30001'])('is rejected if %s cannot be fetched', async (path) => {
    const response = await annotate([], { url: outside + path });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'DOCUMENT_FETCH_FAILED',
      details: [{ field: 'document.url', issue: expect.any(String) }],
    });
  });

  test('is rejected with the same message for every forbidden address', async () => {
    const texts = new Set<string>();
    for (const url of [
      'http://127.0.0.1:1/',
      'http://169.254.169.254/latest',
      'http://nowhere.invalid/',
      'ftp://a/b',
      'x',
    ]) {
      const response = await annotate([], { url });
      const { code, message } = (await response.json()) as { code: string; message: string };
      expect(code).toBe('DOCUMENT_FETCH_FAILED');
      texts.add(message);
    }
    expect([...texts]).toHaveLength(1);
  });

  test('is rejected if the response is empty', async () => {
    const response = await annotate([], { url: `${outside}/empty` });
    expect(await response.json()).toMatchObject({ code: 'INVALID_FILE_FORMAT' });
  });
});
