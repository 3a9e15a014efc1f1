import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { seriesValue } from '@scriptorium/testing/prometheus-text';
import { openRequest } from '../rigs/open-request.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { DOCX_TYPE, docx, PDF_TYPE, pdf, SIGN_REPLY, signAll, until } from '../rigs/signing-rig.ts';
import { verifyAll } from '../rigs/verifying-rig.ts';
import { type AnnotationAsked, GENERATE_REPORT, type GenerationAsked } from '../rigs/workers.ts';

const JSON_TYPE = 'application/json';
const UPLOAD_BYTES_MAX = 100_000;
const REQUEST_BYTES_MAX = 50_000;

let rig: Rig;
let key: string;
const stops: (() => Promise<void>)[] = [];
const asked: { annotation?: AnnotationAsked; generation?: GenerationAsked } = {};

beforeAll(async () => {
  rig = await startRig({
    UPLOAD_BYTES_MAX: String(UPLOAD_BYTES_MAX),
    JSON_BYTES_MAX: String(REQUEST_BYTES_MAX),
    SIGNER_SECRET: 'ab'.repeat(32),
  });
  ({ key } = await rig.newKey());
  rig.annotateWith(async (request) => {
    asked.annotation = request;
    return Buffer.concat([request.source, Buffer.from(' filled')]);
  });
  rig.generateWith(async (request) => {
    asked.generation = request;
    return { bytes: Buffer.concat([request.source, Buffer.from(' filled')]), report: GENERATE_REPORT };
  });
  await rig.convertWith(async (bytes) => Buffer.from(`%PDF of ${bytes}`));
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(() => rig.close());

interface Sending {
  file?: Uint8Array;
  request?: unknown;
  accept?: string;
  as?: 'text' | 'blob';
}

function formOf({ file = docx, request, as = 'text' }: Sending): FormData {
  const form = new FormData();
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  if (request !== undefined && as === 'text') form.append('request', text);
  form.append('file', new Blob([new Uint8Array(file)]), 'Löhne 2026.docx');
  if (request !== undefined && as === 'blob') form.append('request', new Blob([text], { type: JSON_TYPE }));
  return form;
}

const send = (path: string, body: FormData, accept = '*/*') =>
  fetch(rig.url + path, { method: 'POST', headers: { authorization: `Bearer ${key}`, accept }, body });
const post = (path: string, sending: Sending) => send(path, formOf(sending), sending.accept);

async function refusalOf(response: Response) {
  const { code, details } = (await response.json()) as { code: string; details?: object[] };
  return { status: response.status, code, ...(details && { details }) };
}

const fields = [{ id: 'name', type: 'text', value: 'Ada “Łódź” 😀' }];
const signer = { name: 'Ada Lovelace', email: 'ada@example.com' };
const signing = { signer, auditTrail: [{ type: 'submit', timestamp: '2026-05-01T12:00:00Z' }] };

describe.each(['text', 'blob'] as const)('a form whose part `request` is a %s', (as) => {
  test('fills the fields of its file, and answers JSON by default', async () => {
    const response = await post('/v1/annotate', { request: { fields }, as });
    expect(response.status).toBe(200);
    const { document } = (await response.json()) as { document: { base64: string } };
    expect(document.base64).toBe(
      `data:${DOCX_TYPE};base64,${Buffer.concat([docx, Buffer.from(' filled')]).toString('base64')}`,
    );
    expect(asked.annotation?.source).toEqual(docx);
    expect(asked.annotation?.fieldValues).toMatchObject(fields);
  });

  test('fills its file with data of any depth that JSON may have', async () => {
    let data: object = { leaf: 1 };
    for (let depth = 0; depth < 40; depth++) data = { data };
    expect((await post('/v1/generate', { request: { data }, as })).status).toBe(200);
    expect(asked.generation).toMatchObject({ source: docx, kind: 'data', json: data });
  });

  test('signs its file', async () => {
    const { asked: sealed, stop } = signAll(rig);
    stops.push(stop);
    const response = await post('/v1/sign', { file: pdf, request: signing, as });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ document: { contentType: PDF_TYPE }, ...SIGN_REPLY });
    expect(sealed.last).toMatchObject({ source: pdf, signing: { signer } });
  });

  test('verifies its file with options', async () => {
    const { asked: verified, stop } = verifyAll(rig);
    stops.push(stop);
    expect((await post('/v1/verify', { file: pdf, request: { revocation: 'none' }, as })).status).toBe(200);
    expect(verified.last).toMatchObject({ source: pdf, verification: { revocation: 'none' } });
  });
});

describe('a caller who accepts the type of the document', () => {
  const bytesOf = async (response: Response) => ({
    status: response.status,
    type: response.headers.get('content-type'),
    name: response.headers.get('content-disposition'),
    vary: response.headers.get('vary'),
    text: await response.text(),
  });
  const filled = `${docx} filled`;

  test.each([
    ['/v1/annotate', { fields }, DOCX_TYPE, filled],
    ['/v1/annotate?to=pdf', { fields }, PDF_TYPE, `%PDF of ${filled}`],
    ['/v1/generate', { data: {} }, DOCX_TYPE, filled],
    ['/v1/generate?to=pdf', { fields }, PDF_TYPE, `%PDF of ${filled}`],
    ['/v1/sign', signing, DOCX_TYPE, `${docx} signed`],
    ['/v1/sign?to=pdf', signing, PDF_TYPE, `%PDF of ${docx} signed`],
  ])('gets its bytes from %s, named after the file', async (path, request, type, text) => {
    stops.push(signAll(rig).stop);
    const ending = type === PDF_TYPE ? 'pdf' : 'docx';
    const name = `attachment; filename="L?hne 2026.${ending}"; filename*=UTF-8''L%C3%B6hne%202026.${ending}`;
    const expected = { status: 200, type, name, vary: 'Accept', text };
    expect(await bytesOf(await post(path, { request, accept: type }))).toEqual(expected);
    const asBytes = await bytesOf(await post(path, { request, accept: 'application/octet-stream' }));
    expect(asBytes).toEqual({ ...expected, type: 'application/octet-stream' });
    const body = { ...request, document: { base64: docx.toString('base64') } };
    const fromJson = await bytesOf(await rig.postJson(key, path, body, { headers: { accept: type } }));
    expect(fromJson).toEqual({ ...expected, name: `attachment; filename="document.${ending}"` });
  });

  test('gets what the JSON has beside the document in headers', async () => {
    stops.push(signAll(rig).stop);
    const signed = await post('/v1/sign?to=pdf', { request: signing, accept: PDF_TYPE });
    expect(signed.headers.get('x-sign-warnings')).toBe('DEVELOPMENT_KEY');
    expect(signed.headers.get('x-conversion-warnings')).toBe('0');
    const annotated = await post('/v1/annotate?to=pdf', { request: { fields }, accept: PDF_TYPE });
    expect(annotated.headers.get('x-fields-filled')).toMatch(/^\d+$/);
    expect(annotated.headers.get('x-page-count')).toMatch(/^\d+$/);
    expect(annotated.headers.get('server-timing')).toContain('annotate');
  });

  test.each([
    ['/v1/annotate', { fields }, PDF_TYPE],
    ['/v1/annotate?to=pdf', { fields }, DOCX_TYPE],
    ['/v1/sign', signing, PDF_TYPE],
  ])('is refused by %s if the result has the other type', async (path, request, accept) => {
    expect(await refusalOf(await post(path, { request, accept }))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details: [{ field: 'headers.accept' }],
    });
  });

  test('gets JSON for a type that nothing has, as before', async () => {
    const response = await post('/v1/annotate', { request: { fields }, accept: 'image/png' });
    expect(response.headers.get('content-type')).toContain(JSON_TYPE);
  });
});

test('a conversion also takes its document in JSON, and its errors name it there', async () => {
  const body = { document: { base64: docx.toString('base64') } };
  const response = await rig.postJson(key, '/v1/convert?from=docx', body);
  expect([response.status, await response.text()]).toEqual([200, `%PDF of ${docx}`]);
  const refused = await rig.postJson(key, '/v1/convert?from=docx', { document: { base64: '!' } });
  expect(await refusalOf(refused)).toMatchObject({ status: 400, details: [{ field: 'document.base64' }] });
});

describe('a form is refused', () => {
  const form = (...parts: [name: string, value: string | Blob, file?: string][]) => {
    const body = new FormData();
    for (const [name, value, file] of parts)
      if (value instanceof Blob) body.append(name, value, file);
      else body.append(name, value);
    return body;
  };
  const file = ['file', new Blob([new Uint8Array(docx)]), 'a.docx'] as [string, Blob, string];
  const good = JSON.stringify({ fields });
  const blob = (text: string | Uint8Array<ArrayBuffer>) => new Blob([text]);

  test.each<[string, FormData, object[]]>([
    ['without its file', form(['request', good]), [{ field: 'file', issue: 'is required: one file part' }]],
    ['without `request`', form(file), [{ field: 'fields', issue: 'is required' }]],
    ['with `request` that is no JSON', form(file, ['request', '{']), [{ field: 'request' }]],
    ['with `request` that is no object', form(file, ['request', '[]']), [{ field: 'request' }]],
    [
      'with a wrong field',
      form(file, ['request', '{"fields":[{"id":"a","value":{}}]}']),
      [{ field: 'fields[0].value' }],
    ],
    [
      'with a document in `request`',
      form(file, ['request', `{"document":{"url":"http://a"},${good.slice(1)}`]),
      [{ field: 'document' }],
    ],
    ['with a key twice', form(file, ['request', '{"fields":[],"fields":[]}']), [{ field: 'request' }]],
    ['with `__proto__`', form(file, ['request', '{"fields":[],"__proto__":{}}']), [{ field: '__proto__' }]],
    [
      'with `request` as a text and as a file',
      form(file, ['request', good], ['request', blob(good), 'a']),
      [{ field: 'request' }],
    ],
    ['with `request` twice', form(file, ['request', good], ['request', good]), [{}]],
    ['with two files', form(file, file, ['request', good]), [{ field: 'file' }]],
    ['with an unknown part', form(file, ['request', good], ['constructor', 'x']), [{}]],
    ['with a path as the name', form(file, ['request[fields]', 'x']), [{ field: 'request' }]],
    [
      'with `request` that is not UTF-8',
      form(file, ['request', blob(Uint8Array.of(0x22, 0xff, 0x22)), 'a']),
      [{ field: 'request', issue: 'is not valid UTF-8' }],
    ],
    [
      'with a replacement character',
      form(file, ['request', good.replace('Ada', '\ufffd')]),
      [{ field: 'request' }],
    ],
    [
      'with a text that is too long',
      form(file, ['request', good.padEnd(REQUEST_BYTES_MAX + 1)]),
      [{ field: 'request', issue: `has more than ${REQUEST_BYTES_MAX} bytes` }],
    ],
    [
      'with a blob that is too long',
      form(file, ['request', blob(good.padEnd(REQUEST_BYTES_MAX + 1)), 'a']),
      [{ field: 'request', issue: `has more than ${REQUEST_BYTES_MAX} bytes` }],
    ],
  ])('%s', async (_name, body, details) => {
    expect(await refusalOf(await send('/v1/annotate', body))).toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      details,
    });
  });

  test.each([
    ['a file over the limit', UPLOAD_BYTES_MAX + 1, 413, 'PAYLOAD_TOO_LARGE'],
    ['an empty file', 0, 400, 'INVALID_FILE_FORMAT'],
  ])('with %s', async (_name, bytes, status, code) => {
    const sending = { file: Buffer.alloc(bytes, 'P'), request: { fields } };
    expect(await refusalOf(await post('/v1/annotate', sending))).toMatchObject({ status, code });
  });

  test('that would answer the bytes to sign as a document', async () => {
    const external = { certificates: ['x'], algorithm: 'rsa', hash: 'sha256' };
    const sending = { file: pdf, request: { ...signing, key: { external } }, accept: PDF_TYPE };
    expect(await refusalOf(await post('/v1/sign', sending))).toMatchObject({ status: 400 });
  });
});

test('a form is charged for all its parts while it arrives, and for none after its answer', async () => {
  const held = async () => seriesValue(await rig.metrics(), 'scriptorium_held_bytes') ?? Number.NaN;
  const type = 'multipart/form-data; boundary=b';
  const { socket } = openRequest(rig.url, key, '/v1/annotate', {
    'content-type': type,
    'transfer-encoding': 'chunked',
  });
  const write = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
  write('--b\r\nContent-Disposition: form-data; name="request"\r\n\r\n{"fields": "');
  write('x'.repeat(45_000));
  write('"}\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
  write('x'.repeat(90_000));
  expect(await until(async () => (await held()) >= 135_000)).toBe(true);
  socket.destroy();
  expect(await until(async () => (await held()) === 0)).toBe(true);
});

test('a key in quotes is refused with words that say so', async () => {
  const ask = async (authorization: string) => {
    const response = await fetch(`${rig.url}/v1/usage`, { headers: { authorization } });
    return [response.status, ((await response.json()) as { message: string }).message];
  };
  const inQuotes = [401, expect.stringContaining('is in quotes')];
  expect(await ask(`Bearer "${key}"`)).toEqual(inQuotes);
  expect(await ask(`Bearer '${key}'`)).toEqual(inQuotes);
  expect(await ask(`Bearer ${key}x`)).toEqual([401, expect.not.stringContaining('quotes')]);
});
