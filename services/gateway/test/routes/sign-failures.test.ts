import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import { type Rig, startRig } from '../rigs/rig.ts';
import { plain, signer, submit } from '../rigs/sign-requests.ts';
import { docx, inBase64, pdf, SIGN_REPLY, signAll, until } from '../rigs/signing-rig.ts';

let rig: Rig;
let key: string;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.newKey());
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
  expect(await until(async () => (await rig.blobKeys()).length === 0)).toBe(true);
});
afterAll(() => rig.close());

const sign = (body: object, query = '', options = {}) =>
  rig.postJson(key, `/v1/sign${query}`, { ...plain, document: inBase64(pdf), ...body }, options);

const startConverter = async () => void stops.push(await rig.convertWith(async (bytes) => bytes));

describe('a sign request that fails', () => {
  test.each([
    ['DOCUMENT_LOCKED', 400],
    ['UNPROCESSABLE', 422],
    ['TIMESTAMP_UNAVAILABLE', 502],
  ] as const)('returns the code of the signer: %s', async (code, status) => {
    stops.push(
      rig.signWith(async () => {
        throw new AppError(code, 'So it is.', { details: [{ field: 'field', issue: 'is so' }] });
      }),
    );
    const response = await sign({});
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      code,
      message: 'So it is.',
      details: [{ field: 'field' }],
    });
  });

  test('without a submit event returns 422 before a fetch or a job', async () => {
    const auditTrail = [{ ...submit, type: 'ready' }];
    const response = await sign({ auditTrail, document: { url: 'http://127.0.0.1/x' } });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: 'UNPROCESSABLE',
      details: [{ field: 'auditTrail', issue: 'must have an event of type `submit`' }],
    });
  });

  test('because it is invalid returns 400 with the path', async () => {
    const response = await sign({ signer: { ...signer, role: 'CEO' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'signer.role', issue: 'is not a known property' }],
    });
  });

  test('because the worker returns an invalid type returns INTERNAL_ERROR', async () => {
    stops.push(
      rig.signWith(async ({ source }) => ({ bytes: source, contentType: '","x":"', reply: SIGN_REPLY })),
    );
    const response = await sign({});
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'INTERNAL_ERROR' });
  });

  test.each([
    ['', pdf],
    ['?to=pdf', docx],
  ])('without a signer (query %p) returns 503 at the wait limit', async (query, source) => {
    const hasty = await startRig({ QUEUE_WAIT_MS_MAX: '500' });
    const { key: own } = await hasty.newKey();
    await hasty.convertWith(async (bytes) => bytes);
    const response = await hasty.postJson(own, `/v1/sign${query}`, { ...plain, document: inBase64(source) });
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'OVERLOADED' });
    await hasty.close();
  });
});

describe('a caller who disconnects', () => {
  const left = (query: string, source: Buffer) => {
    const caller = new AbortController();
    const options = { signal: caller.signal };
    const answer = sign({ document: inBase64(source) }, query, options).catch(() => 'left');
    return { caller, answer };
  };

  test.each([
    ['', pdf],
    ['?to=pdf', docx],
  ])('while the document is signed (query %p) cancels the job', async (query, source) => {
    await startConverter();
    let hasBegun = false;
    let isCancelled = false;
    stops.push(
      rig.signWith((_asked, { signal }) => {
        hasBegun = true;
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            isCancelled = true;
            reject(signal.reason);
          }),
        );
      }),
    );
    const { caller, answer } = left(query, source);
    expect(await until(() => hasBegun)).toBe(true);
    caller.abort();
    expect(await answer).toBe('left');
    expect(await until(() => isCancelled)).toBe(true);
  });

  test('between converter and signer leaves no data', async () => {
    await startConverter();
    const { caller, answer } = left('?to=pdf', docx);
    expect(await until(async () => (await rig.waiting('sign')) === 1)).toBe(true);
    caller.abort();
    expect(await answer).toBe('left');
    expect(await until(async () => (await rig.waiting('sign')) === 0)).toBe(true);
  });
});

test('a full queue rejects at once, but the converter queue rejects only requests that need it', async () => {
  const small = await startRig({ QUEUE_LENGTH_MAX: '1' });
  const { key: otherKey } = await small.newKey();
  const waiting = small.post(otherKey, docx);
  expect(await until(async () => (await small.waiting('convert')) === 1)).toBe(true);
  signAll(small);
  const ask = (query: string) =>
    small.postJson(otherKey, `/v1/sign${query}`, { ...plain, document: inBase64(pdf) });
  expect((await ask('')).status).toBe(200);
  const refused = await ask('?to=pdf');
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'OVERLOADED' });
  await small.convertWith(async (bytes) => bytes);
  expect((await waiting).status).toBe(200);
  await small.close();
});
