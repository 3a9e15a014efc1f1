import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { selfSigned } from '@scriptorium/testing/fixtures/self-signed';
import { type Rig, startRig } from '../rigs/rig.ts';
import { inBase64, pdf, until } from '../rigs/signing-rig.ts';
import { VERIFY_REPLY, verifyAll } from '../rigs/verifying-rig.ts';

const { cert } = selfSigned('ca.example');

let rig: Rig;
let key: string;
let server: Server;
let outside: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = createServer((request, response) =>
    request.url === '/missing' ? response.writeHead(404).end() : response.end(`document of ${request.url}`),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  outside = `http://127.0.0.1:${port}`;
  rig = await startRig({
    UPLOAD_BYTES_MAX: '100000',
    JSON_BYTES_MAX: '200000',
    FETCH_ALLOW: `127.0.0.1:${port}`,
  });
  ({ key } = await rig.newKey());
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(async () => {
  await rig.close();
  server.close();
});

const verify = (body: object = {}, query = '', options = {}) =>
  rig.postJson(key, `/v1/verify${query}`, { document: inBase64(pdf), ...body }, options);

function verifyFile(
  bytes: Uint8Array,
  {
    part = 'file',
    more = {} as Record<string, string>,
    query = '',
    headers = {} as Record<string, string>,
  } = {},
) {
  const body = new FormData();
  body.append(part, new Blob([new Uint8Array(bytes)]), 'signed.pdf');
  for (const [name, value] of Object.entries(more)) body.append(name, value);
  const sent = { authorization: `Bearer ${key}`, ...headers };
  return fetch(`${rig.url}/v1/verify${query}`, { method: 'POST', headers: sent, body });
}

function start() {
  const { asked, stop } = verifyAll(rig);
  stops.push(stop);
  return asked;
}

async function refusalOf(response: Response) {
  return { status: response.status, ...((await response.json()) as { code: string }) };
}

describe('a verify request', () => {
  test('returns the report of the verifier, also for an invalid signature', async () => {
    const asked = start();
    const response = await verify();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, queue;dur=[\d.]+, verify;dur=6\.0$/,
    );
    expect(await response.json()).toEqual(VERIFY_REPLY);
    expect(asked.last).toEqual({
      source: pdf,
      verification: { trust: { anchors: [] }, revocation: 'embedded' },
    });
  });

  test('passes all options to the verifier', async () => {
    const asked = start();
    const response = await verify({
      trust: { anchors: [cert], profile: 'partners' },
      validationTime: '2026-05-01T14:00:00+02:00',
      revocation: 'none',
      acceptSha1Before: '2016-01-01',
    });
    expect(response.status).toBe(200);
    expect(asked.last?.verification).toEqual({
      trust: { anchors: [cert.replace(/-----[^-]+-----|\s/g, '')], profile: 'partners' },
      validationTime: '2026-05-01T12:00:00.000Z',
      revocation: 'none',
      acceptSha1Before: '2016-01-01T00:00:00.000Z',
    });
  });

  test('may name the URL of its document', async () => {
    const asked = start();
    expect((await verify({ document: { url: `${outside}/signed.pdf` } })).status).toBe(200);
    expect(asked.last?.source.toString()).toBe('document of /signed.pdf');
  });

  test('may be a form with only the document', async () => {
    const asked = start();
    const response = await verifyFile(pdf);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(VERIFY_REPLY);
    expect(asked.last).toEqual({
      source: pdf,
      verification: { trust: { anchors: [] }, revocation: 'embedded' },
    });
  });
});

describe('the report of a verification', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

  test.each<[string, string, string | undefined]>([
    ['application/json', 'application/json; charset=utf-8', undefined],
    ['*/*', 'application/json; charset=utf-8', undefined],
    ['application/*', 'application/json; charset=utf-8', undefined],
    ['image/png', 'application/json; charset=utf-8', undefined],
    ['application/json, text/html;q=0.9', 'application/json; charset=utf-8', undefined],
    ['text/html', 'text/html; charset=utf-8', 'html'],
    [BROWSER, 'text/html; charset=utf-8', 'html'],
    ['application/pdf', 'application/pdf', 'pdf'],
    ['application/json;q=0.5, application/pdf', 'application/pdf', 'pdf'],
    ['application/xml', 'application/xml; charset=utf-8', 'xml'],
  ])('for Accept: %s is %s', async (accept, contentType, report) => {
    const asked = start();
    const responses = [
      await verify({}, '', { headers: { accept } }),
      await verifyFile(pdf, { headers: { accept } }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe(contentType);
      expect(response.headers.get('vary')).toContain('Accept');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(asked.last?.verification.report).toBe(report);
    }
  });

  test('for people may not load, run or send anything', async () => {
    start();
    const response = await verify({}, '', { headers: { accept: 'text/html' } });
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; img-src data:;/);
    expect(policy).not.toMatch(/script-src|unsafe|https?:|self/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('as a PDF has a name', async () => {
    start();
    const response = await verify({}, '', { headers: { accept: 'application/pdf' } });
    expect(response.headers.get('content-disposition')).toBe('inline; filename="verification-report.pdf"');
  });

  test('is an error in JSON if there is none, whatever the caller accepts', async () => {
    start();
    const response = await verify({ trust: 1 }, '', { headers: { accept: 'text/html' } });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toContain('application/json');
  });
});

describe('a verify request is rejected', () => {
  test.each<[string, () => Promise<Response>, number, string, object?]>([
    [
      'with the path if it is invalid',
      () => verify({ trust: { anchors: [cert, cert, cert, 'x'] } }),
      400,
      'VALIDATION_ERROR',
      { details: [{ field: 'trust.anchors[3]' }] },
    ],
    [
      'with a query',
      () => verify({}, '?revocation=online'),
      400,
      'VALIDATION_ERROR',
      { details: [{ field: 'query.revocation', issue: 'is not a known property' }] },
    ],
    [
      'as a form with a query',
      () => verifyFile(pdf, { query: '?to=pdf' }),
      400,
      'VALIDATION_ERROR',
      { details: [{ field: 'query.to' }] },
    ],
    [
      'with a document that cannot be fetched',
      () => verify({ document: { url: `${outside}/missing` } }),
      400,
      'DOCUMENT_FETCH_FAILED',
      { details: [{ field: 'document.url' }] },
    ],
    ['with an empty document', () => verify({ document: { base64: '' } }), 400, 'INVALID_FILE_FORMAT'],
    ['with an empty file', () => verifyFile(Buffer.alloc(0)), 400, 'INVALID_FILE_FORMAT'],
    [
      'with a document over the limit',
      () => verify({ document: inBase64(Buffer.alloc(100_001)) }),
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['with a file over the limit', () => verifyFile(Buffer.alloc(100_001)), 413, 'PAYLOAD_TOO_LARGE'],
    ['with a JSON body over the limit', () => verify({ x: 'x'.repeat(200_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    [
      'as a form with another part',
      () => verifyFile(pdf, { part: 'document' }),
      400,
      'VALIDATION_ERROR',
      {
        details: [
          {
            field: 'document',
            issue: expect.stringMatching(/^must have exactly one file part named "file"/),
          },
        ],
      },
    ],
    [
      'as a form with additional fields',
      () => verifyFile(pdf, { more: { revocation: 'online' } }),
      400,
      'VALIDATION_ERROR',
    ],
    [
      'as a raw PDF',
      () => verify({}, '', { headers: { 'content-type': 'application/pdf' } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      { message: 'Send application/json, or multipart/form-data with one file part named "file".' },
    ],
    [
      'without a key',
      () => fetch(`${rig.url}/v1/verify`, { method: 'POST', body: '{}' }),
      401,
      'AUTHENTICATION_ERROR',
    ],
  ])('%s', async (_name, ask, status, code, more = {}) => {
    start();
    expect(await refusalOf(await ask())).toMatchObject({ status, code, ...more });
  });

  test.each([
    ['INVALID_FILE_FORMAT', 400],
    ['DOCUMENT_ENCRYPTED', 400],
    ['PASSWORD_REQUIRED', 400],
    ['PASSWORD_WRONG', 400],
    ['DOCUMENT_TOO_COMPLEX', 400],
    ['INTERNAL_ERROR', 500],
  ] as const)('with the code of the verifier if it cannot read the document: %s', async (code, status) => {
    stops.push(
      rig.verifyWith(async () => {
        throw new AppError(code, 'So it is.');
      }),
    );
    expect(await refusalOf(await verify())).toMatchObject({ status, code });
  });
});
