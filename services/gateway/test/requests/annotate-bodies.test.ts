import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openRequest, until } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';

const document = { base64: Buffer.from('PK a template').toString('base64') };
const good = JSON.stringify({ document, fields: [] });

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig({
    JSON_BYTES_MAX: '900000',
    UPLOAD_BYTES_MAX: '600000',
    BYTES_IN_FLIGHT_MAX: '1048576',
    QUEUE_LENGTH_MAX: '1',
    KEY_CONCURRENCY_MAX: '100',
  });
  ({ key } = await rig.newKey());
  rig.annotateWith(async ({ source }) => source);
});
afterAll(() => rig.close());

const post = (body: unknown, headers: Record<string, string> = {}, query = '') =>
  rig.postJson(key, `/v1/annotate${query}`, body, { headers });

const open = (path: string, headers: Record<string, string | number>) =>
  openRequest(rig.url, key, path, headers);

describe('a JSON body', () => {
  const deep = '{"a":'.repeat(200_000 / 5);
  test.each([
    ['that is not JSON', '{"document":', 'is not valid JSON'],
    ['that is empty', '', 'is not valid JSON'],
    ['with a trailing comma', `${good.slice(0, -1)},}`, 'is not valid JSON'],
    ['with an unterminated string', `{"document":"${'x'.repeat(1000)}\\`, 'is not valid JSON'],
    ['of deeply nested lists', '['.repeat(200_000), 'is nested deeper than 16 levels'],
    ['of deeply nested objects', deep, 'is nested deeper than 16 levels'],
    [
      'that is nested deeply in an option',
      good.replace('[]', `[${'['.repeat(20)}${']'.repeat(20)}]`),
      'is nested deeper than 16 levels',
    ],
    ['with too many values', `{"fields":[${'0,'.repeat(250_001)}0]}`, 'has more than 250000 values'],
    [
      'with too many keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [at, 0]))),
      'has more than 1000 keys in one object',
    ],
    ['with a very long key', `{"${'k'.repeat(1_001)}":0}`, 'has a key of more than 1000 bytes'],
    [
      'with a repeated key',
      `${good.slice(0, -1)},"document":{"url":"http://127.0.0.1"}}`,
      'repeats the key "document" in one object',
    ],
    [
      'with a repeated key that is escaped once',
      `${good.slice(0, -1)},"\\u0066ields":[]}`,
      'repeats the key "fields" in one object',
    ],
  ])('%s is rejected', async (_name, body, issue) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'body', issue }],
    });
  });

  test('that is not UTF-8 is rejected', async () => {
    const { socket, text } = open('/v1/annotate', {
      'content-type': 'application/json',
      'content-length': 4,
    });
    socket.write(Buffer.from([0x22, 0xc3, 0x28, 0x22]));
    expect(await until(() => text().includes('is not valid UTF-8'))).toBe(true);
    socket.destroy();
  });

  test('may have braces, quotes and keys within strings, and the same key in several objects', async () => {
    const value = '{"id":"a","id":"b"} \\" [[[[[[[[[[[[[[[[[[[[ \\\\';
    const fields = [
      { id: value, value },
      { id: value, value },
      { id: 'id', value: [['id', 'id'], ['id']] },
    ];
    expect((await post({ document, fields })).status).toBe(200);
    expect((await post(JSON.stringify({ document, fields }, null, '\t'))).status).toBe(200);
  });

  test.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/json; charset=utf-16' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'br' }],
  ])('with %p is rejected with 415', async (headers) => {
    const response = await post(good, headers);
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  test('that is compressed without a Content-Encoding is rejected as invalid JSON', async () => {
    const response = await fetch(`${rig.url}/v1/annotate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: gzipSync(good),
    });
    expect(response.status).toBe(400);
  });

  test('in UTF-8 is accepted with any spelling of its content type', async () => {
    expect((await post(good, { 'content-type': 'Application/JSON;charset="UTF-8"' })).status).toBe(200);
  });

  test('with a Content-Length over the limit is rejected before it is sent', async () => {
    const { socket, text } = open('/v1/annotate', {
      'content-type': 'application/json',
      'content-length': 900_001,
      expect: '100-continue',
    });
    expect(await until(() => text().includes('exceeds the limit of 900000 bytes'))).toBe(true);
    expect(text()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('without a Content-Length is rejected once it exceeds the limit', async () => {
    const { socket, text } = open('/v1/annotate', {
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    socket.write(`${(1_000_000).toString(16)}\r\n"${'x'.repeat(950_000)}`);
    expect(await until(() => text().includes('exceeds the limit of 900000 bytes'))).toBe(true);
    expect(text()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('of a caller that sends Expect: 100-continue is requested and answered', async () => {
    const { socket, text } = open('/v1/annotate', {
      'content-type': 'application/json',
      'content-length': good.length,
      expect: '100-continue',
      connection: 'close',
    });
    expect(await until(() => text().includes('HTTP/1.1 100 Continue'))).toBe(true);
    socket.write(good);
    expect(await until(() => text().includes('HTTP/1.1 200 OK'))).toBe(true);
    socket.destroy();
  });
});

test('a single request may use more than the share of its owner', async () => {
  const large = { base64: Buffer.alloc(580_000, 'PK').toString('base64') };
  const body = JSON.stringify({ document: large, fields: [{ id: 'a', value: 'x'.repeat(110_000) }] });
  expect(body.length).toBeGreaterThan(0.8 * 1_048_576);
  expect((await post(body)).status).toBe(200);
});

describe('a request that cannot be served', () => {
  test.each([
    ['?to=png', 'to'],
    ['?to=pdf&to=docx', 'to'],
    ['?flatten=yes', 'flatten'],
    ['?onMissing=warn', 'onMissing'],
    ['?pages=1', 'pages'],
  ])('is rejected with the query %s before the body is read', async (query, field) => {
    const { socket, text } = open(`/v1/annotate${query}`, {
      'content-type': 'application/json',
      'content-length': 800_000,
    });
    expect(await until(() => text().includes(`"field":"query.${field}"`))).toBe(true);
    expect(text()).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  test('is rejected with 401 without a key', async () => {
    for (const path of ['/v1/annotate', '/v1/templates/inspect'])
      expect((await rig.postJson('scr_wrong', path, good)).status).toBe(401);
  });

  test('is rejected before the body is read if it needs a converter and their queue is full', async () => {
    const waiting = rig.post(key, Buffer.from('PK'));
    expect(await until(async () => (await rig.waiting('convert')) === 1)).toBe(true);
    const { socket, text } = open('/v1/annotate?to=pdf', {
      'content-type': 'application/json',
      'content-length': 800_000,
    });
    expect(await until(() => text().includes('OVERLOADED'))).toBe(true);
    expect(text()).toMatch(/^HTTP\/1\.1 503 /);
    socket.destroy();
    expect((await post(good)).status).toBe(200);
    await rig.convertWith(async (bytes) => bytes);
    expect((await waiting).status).toBe(200);
  });
});

test('the reference describes both operations', async () => {
  const { paths, components } = (await (await fetch(`${rig.url}/openapi.json`)).json()) as {
    components: { schemas: Record<string, object> };
    paths: Record<
      string,
      {
        post: {
          requestBody: object;
          parameters: { name: string }[];
          responses: Record<string, { headers: object }>;
        };
      }
    >;
  };
  const annotate = paths['/v1/annotate']?.post;
  const names = annotate?.parameters.map(({ name }) => name);
  expect(names).toEqual(['to', 'onMissing', 'flatten', 'Prefer', 'Idempotency-Key']);
  expect(Object.keys(annotate?.responses ?? {})).toEqual([
    '200',
    '202',
    '400',
    '401',
    '403',
    '405',
    '408',
    '409',
    '413',
    '415',
    '422',
    '429',
    '500',
    '501',
    '503',
    '504',
  ]);
  expect(Object.keys(annotate?.responses['200']?.headers ?? {})).toEqual(
    expect.arrayContaining([
      'X-Fields-Filled',
      'X-Fields-Unmatched',
      'X-Fields-Unmatched-List',
      'X-Annotate-Warnings',
      'X-Page-Count',
      'Server-Timing',
    ]),
  );
  expect(JSON.stringify(annotate?.requestBody)).toContain('#/components/schemas/AnnotateRequest');
  expect(JSON.stringify(components.schemas.TextField)).toContain('keepTextNodeStyles');
  expect(JSON.stringify(components.schemas.TemplateField)).toContain('dateFormat');
});
