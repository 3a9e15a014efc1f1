import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { type Rig, startRig } from '../rigs/rig.ts';
import { external, plain, rectangle, signer, submit } from '../rigs/sign-requests.ts';
import { DOCX_TYPE, docx, inBase64, PDF_TYPE, pdf, SIGN_REPLY, signAll, until } from '../rigs/signing-rig.ts';
import { REPORT } from '../rigs/workers.ts';

let rig: Rig;
let key: string;
let server: Server;
let outside: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = createServer((request, response) =>
    request.url === '/missing' ? response.writeHead(404).end() : response.end(`image of ${request.url}`),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  outside = `http://127.0.0.1:${port}`;
  rig = await startRig({
    IMAGE_BYTES_MAX: '2000',
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

const sign = (body: object, query = '', options = {}) =>
  rig.postJson(key, `/v1/sign${query}`, { ...plain, document: inBase64(pdf), ...body }, options);

function start() {
  const { asked, stop } = signAll(rig);
  stops.push(stop);
  return asked;
}

/** A converter whose "PDF" names its source. */
async function startConverter(): Promise<void> {
  stops.push(
    await rig.convertWith(async (bytes, _context, options) => {
      expect(options).toMatchObject({ from: 'docx', to: 'pdf', revisions: 'markup' });
      return { bytes: Buffer.from(`%PDF of ${bytes}`), report: { ...REPORT, pages: 3, warnings: 2 } };
    }),
  );
}

async function documentOf(response: Response) {
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  const { document, ...rest } = JSON.parse(text) as {
    document: { base64: string; contentType: string };
  };
  expect(Object.keys(document).sort()).toEqual(['base64', 'contentType']);
  const prefix = `data:${document.contentType};base64,`;
  expect(document.base64.slice(0, prefix.length)).toBe(prefix);
  const bytes = Buffer.from(document.base64.slice(prefix.length), 'base64');
  return { bytes, contentType: document.contentType, rest };
}

describe('a sign request', () => {
  test('returns the signed PDF, its signature and its audit trail', async () => {
    const asked = start();
    const response = await sign({});
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, queue;dur=[\d.]+, sign;dur=5\.0$/,
    );
    const { bytes, contentType, rest } = await documentOf(response);
    expect(bytes.toString()).toBe('%PDF-1.7 a contract signed');
    expect(contentType).toBe(PDF_TYPE);
    expect(rest).toEqual(SIGN_REPLY);
    expect(asked.last).toEqual({
      source: pdf,
      images: Buffer.alloc(0),
      signing: {
        key: { kind: 'profile', profile: 'service', apiKey: expect.stringMatching(/^key_/) },
        level: 'B-B',
        signer,
        auditTrail: [submit],
        hasAuditPages: true,
        allowBrokenSignatures: false,
      },
    });
  });

  test('passes a DOCX to the signer unchanged and returns a DOCX', async () => {
    const asked = start();
    const { bytes, contentType } = await documentOf(await sign({ document: inBase64(docx) }));
    expect(asked.last?.source).toEqual(docx);
    expect(bytes.toString()).toBe(`${docx} signed`);
    expect(contentType).toBe(DOCX_TYPE);
  });

  test('returns a large document unchanged', async () => {
    start();
    const large = Buffer.concat([pdf, randomBytes(5_000_000)]);
    const { bytes } = await documentOf(await sign({ document: inBase64(large) }));
    expect(bytes.equals(Buffer.concat([large, Buffer.from(' signed')]))).toBe(true);
  });

  test('with an external key returns the bytes to sign', async () => {
    const toBeSigned = {
      base64: 'AAAA',
      digest: '00',
      hashAlgorithm: 'SHA-256',
      signatureAlgorithm: 'ECDSA',
    };
    const { asked, stop } = signAll(rig, { toBeSigned, warnings: [] });
    stops.push(stop);
    const response = await rig.postJson(key, '/v1/sign', { document: inBase64(pdf), key: { external } });
    expect((await documentOf(response)).rest).toEqual({ toBeSigned, warnings: [] });
    expect(asked.last?.signing.key).toMatchObject({ kind: 'external', algorithm: 'ecdsa' });
  });

  test.each([
    ['a data URI', () => 'data:image/png;base64,aW1hZ2Ugb2YgL3g=', 'image of /x'],
    ['a URL', () => `${outside}/y`, 'image of /y'],
  ])('accepts the image of its appearance from %s', async (_name, image, expected) => {
    const asked = start();
    await documentOf(await sign({ appearance: { page: 1, rectangle, image: image() } }));
    expect(asked.last?.images.toString()).toBe(expected);
    expect(asked.last?.signing.appearance?.image).toEqual({ start: 0, bytes: expected.length });
  });

  test.each([
    ['bare base64', () => Buffer.alloc(30).toString('base64')],
    ['a URL that does not exist', () => `${outside}/missing`],
    ['an image over the limit', () => `data:image/png;base64,${Buffer.alloc(2_001).toString('base64')}`],
    ['an empty image', () => 'data:image/png;base64,'],
  ])('is rejected with the path if its image is %s', async (_name, image) => {
    const response = await sign({ appearance: { page: 1, rectangle, image: image() } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'IMAGE_INVALID',
      details: [{ field: 'appearance.image' }],
    });
  });
});

describe('with to=pdf', () => {
  test('a DOCX is converted, and its PDF is signed with all options', async () => {
    await startConverter();
    const asked = start();
    const image = 'data:image/png;base64,aW1hZ2Ugb2YgL3g=';
    const response = await sign(
      { document: inBase64(docx), reason: 'I agree', appearance: { page: 1, rectangle, image } },
      '?to=pdf',
    );
    expect(response.headers.get('x-conversion-warnings')).toBe('2');
    expect(response.headers.get('x-conversion-report')).toContain('fonts-replaced=0');
    expect(response.headers.get('x-page-count')).toBeNull();
    expect(response.headers.get('server-timing')).toMatch(
      /^load;dur=[\d.]+, queue;dur=[\d.]+, sanitize;dur=1\.0, convert;dur=2\.0, sign;dur=5\.0$/,
    );
    const { bytes, contentType, rest } = await documentOf(response);
    expect(bytes.toString()).toBe(`%PDF of ${docx} signed`);
    expect(contentType).toBe(PDF_TYPE);
    expect(rest).toEqual(SIGN_REPLY);
    expect(asked.last?.signing).toMatchObject({ signer, reason: 'I agree' });
    expect(asked.last?.images.toString()).toBe('image of /x');
  });

  test('a PDF is signed without a converter', async () => {
    start();
    const { bytes } = await documentOf(await sign({}, '?to=pdf'));
    expect(bytes.toString()).toBe('%PDF-1.7 a contract signed');
  });

  test('a file of another type goes to the signer, which rejects it', async () => {
    const asked = start();
    await documentOf(await sign({ document: { base64: 'AAAA' } }, '?to=pdf'));
    expect(asked.last?.source).toEqual(Buffer.alloc(3));
  });

  test('a document that cannot be converted causes the error of the converter', async () => {
    start();
    stops.push(
      await rig.convertWith(async () => {
        throw new AppError('INVALID_FILE_FORMAT', 'No DOCX.');
      }),
    );
    const response = await sign({ document: inBase64(docx) }, '?to=pdf');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'INVALID_FILE_FORMAT', message: 'No DOCX.' });
  });

  test('any other target is rejected', async () => {
    const response = await sign({}, '?to=docx');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ field: 'query.to' }] });
  });
});
