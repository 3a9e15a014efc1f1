import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { document } from '../rigs/batch-rig.ts';
import { type Rig, startRig } from '../rigs/rig.ts';
import { p12, plain } from '../rigs/sign-requests.ts';
import { inBase64, pdf, signAll } from '../rigs/signing-rig.ts';

const SETTINGS = { TRIAL: 'on', SERVICE_KEY_FOR: 'issued', SIGNER_SECRET: 'ab'.repeat(32) };
const PUBLIC_KEY = {
  ...{ version: '1', algorithm: 'RSA-2048', publicKey: '', fingerprint: '', issuer: '', certificate: '' },
  ...{ validFrom: '2026-01-01T00:00:00Z', validTo: '2027-01-01T00:00:00Z' },
};

let rig: Rig;
beforeAll(async () => {
  rig = await startRig(SETTINGS);
  rig.annotateWith(async ({ source }) => source);
  signAll(rig);
});
afterAll(() => rig.close());

const annotate = (key: string) => rig.postJson(key, '/v1/annotate', { document, fields: [] });
const sign = (key: string, body: object = {}) =>
  rig.postJson(key, '/v1/sign', { ...plain, document: inBase64(pdf), ...body });

describe('a trial key', () => {
  const trial = async (url = rig.url) => {
    const response = await fetch(`${url}/v1/auth/trial`, { method: 'POST' });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;
  let key: string;
  let stop: () => Promise<void>;
  let isDevelopmentKey = true;
  beforeAll(async () => {
    stop = rig.tellKeyWith(async () => ({ ...PUBLIC_KEY, isDevelopmentKey }));
    const { body } = await trial();
    key = body.key ?? '';
    expect(body).toMatchObject({ key: expect.stringMatching(/^scr_try_/), operations: 20 });
    expect(Date.parse(body.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(30 * 60_000);
  });
  afterAll(() => stop());

  test('signs with the development key only, and reads neither URLs nor counts', async () => {
    expect((await sign(key)).status).toBe(200);
    expect(await codeOf(await sign(key, { key: { p12 } }))).toBe('FORBIDDEN');
    expect(await codeOf(await sign(key, { key: { profile: 'invoices' } }))).toBe('FORBIDDEN');
    const url = { document: { url: 'http://127.0.0.1/' }, fields: [] };
    expect(await codeOf(await rig.postJson(key, '/v1/annotate', url))).toBe('FORBIDDEN');
    const usage = await fetch(`${rig.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    expect(usage.status).toBe(403);
    const { rows } = await rig.database.query('SELECT 1 FROM api_keys WHERE last4 = $1', [key.slice(-4)]);
    expect(rows).toEqual([]);
    expect((await rig.everythingInRedis('*trial*')).includes(key)).toBe(false);
  });

  test('is not issued to pages of other sites, and not cached', async () => {
    const ask = (headers: Record<string, string>) =>
      fetch(`${rig.url}/v1/auth/trial`, { method: 'POST', headers });
    const answer = await ask({ 'sec-fetch-site': 'cross-site' });
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'VALIDATION_ERROR']);
    expect((await ask({ 'sec-fetch-site': 'same-origin' })).headers.get('cache-control')).toBe('no-store');
  });

  test('converts one document at a time, also in the form of Gotenberg', async () => {
    const body = new FormData();
    for (const name of ['1.docx', '2.docx']) body.append('files', new Blob(['PK']), name);
    const headers = { authorization: `Bearer ${key}` };
    const stopConverter = await rig.convertWith(async () => pdf);
    const response = await fetch(`${rig.url}/forms/libreoffice/convert`, { method: 'POST', headers, body });
    await stopConverter();
    expect([response.status, await response.text()]).toEqual([
      403,
      'A trial key converts one document at a time.',
    ]);
  });

  test('must not sign while the service has a real key', async () => {
    isDevelopmentKey = false;
    const other = await startRig({ ...SETTINGS, REDIS_URL: rig.redis.url });
    try {
      const { body } = await trial(other.url);
      const response = await fetch(`${other.url}/v1/sign`, {
        method: 'POST',
        headers: { authorization: `Bearer ${body.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...plain, document: inBase64(pdf) }),
      });
      expect(await codeOf(response)).toBe('FORBIDDEN');
    } finally {
      isDevelopmentKey = true;
      await other.close();
    }
  });

  test('takes small documents, one at a time, and a number of them', async () => {
    const big = { document: { base64: Buffer.alloc(5.5 * 1024 * 1024).toString('base64') }, fields: [] };
    expect(await codeOf(await rig.postJson(key, '/v1/annotate', big))).toBe('PAYLOAD_TOO_LARGE');
    const chunked = await fetch(`${rig.url}/v1/annotate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: new Blob(['{}']).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(await codeOf(chunked)).toBe('PAYLOAD_TOO_LARGE');
    const { body } = await trial();
    const fresh = body.key ?? '';
    const together = await Promise.all(Array.from({ length: 6 }, () => annotate(fresh)));
    expect(together.map(({ status }) => status)).toContain(429);
    const lefts: number[] = [];
    for (let response = await annotate(fresh); response.status !== 403; response = await annotate(fresh)) {
      if (response.status === 200) lefts.push(Number(response.headers.get('x-trial-remaining')));
      if (lefts.length > 20) break;
    }
    expect(lefts.at(-1)).toBe(0);
    expect(await codeOf(await annotate(fresh))).toBe('FORBIDDEN');
  });

  test('is given to a room of people an hour, and only if the operator permits it', async () => {
    let last = await trial();
    for (let at = 0; at < 60 && last.status === 200; at++) last = await trial();
    expect(last).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_EXCEEDED' } });
    const without = await startRig({ PLAYGROUND: 'off' });
    expect((await fetch(`${without.url}/try/settings.json`)).status).toBe(404);
    expect((await fetch(`${without.url}/try/`)).status).toBe(404);
    expect(await trial(without.url)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    await without.close();
  });
});
