import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { open } from '@scriptorium/sealing/sealed-box';
import { loadConfig, Secret } from '@scriptorium/shared/config';
import { docxWith } from '@scriptorium/testing/fixtures/docx';
import { gatewaySettings } from '../../src/settings/config.ts';
import { JOB_SETTINGS, type Rig, startRig } from '../rigs/rig.ts';
import { external } from '../rigs/sign-requests.ts';
import { inBase64, PDF_TYPE, pdf, SIGN_REPLY } from '../rigs/signing-rig.ts';
import { VERIFY_REPLY } from '../rigs/verifying-rig.ts';
import { GENERATE_REPORT } from '../rigs/workers.ts';

const SIGNER_SECRET = randomBytes(32).toString('hex');
const VERIFIER_SECRET = randomBytes(32).toString('hex');
const password = `päss-${randomBytes(12).toString('hex')}`;
const BODIES = {
  '/v1/sign': { document: inBase64(pdf), key: { external } },
  '/v1/verify': { document: inBase64(pdf) },
};
const PATHS = Object.keys(BODIES) as (keyof typeof BODIES)[];

interface Seen {
  requestId: string;
  box: string | undefined;
  redis: Buffer;
}

/** Answers both operations, and keeps what the workers see. */
function answerAll(rig: Rig, seen: Seen[]): void {
  rig.signWith(async ({ source, signing }, { requestId }) => {
    seen.push({ requestId, box: signing.passwordBox, redis: await rig.everythingInRedis() });
    return { bytes: source, contentType: PDF_TYPE, reply: SIGN_REPLY };
  });
  rig.verifyWith(async ({ verification }, { requestId }) => {
    seen.push({ requestId, box: verification.passwordBox, redis: await rig.everythingInRedis() });
    return VERIFY_REPLY;
  });
}

describe('the password of a document', () => {
  let rig: Rig;
  let key: string;
  const seen: Seen[] = [];
  beforeAll(async () => {
    rig = await startRig({ SIGNER_SECRET, VERIFIER_SECRET });
    ({ key } = await rig.newKey());
    answerAll(rig, seen);
  });
  afterAll(() => rig.close());

  test.each([
    ['/v1/sign', SIGNER_SECRET, VERIFIER_SECRET],
    ['/v1/verify', VERIFIER_SECRET, SIGNER_SECRET],
  ] as const)(
    'of %s is never in Redis unencrypted, and only its worker can open it',
    async (path, own, other) => {
      const response = await rig.postJson(key, path, { ...BODIES[path], password });
      expect(response.status).toBe(200);
      const last = seen.at(-1);
      const { requestId = '', box = '' } = last ?? {};
      expect(open(new Secret(own), requestId, box).toString()).toBe(password);
      expect(() => open(new Secret(other), requestId, box)).toThrow();
      expect(last?.redis.length).toBeGreaterThan(100);
      expect(last?.redis.includes(password)).toBe(false);
      expect(last?.redis.includes(Buffer.from(password).toString('base64').slice(0, -4))).toBe(false);
    },
  );

  test('of a PDF form is sealed once for the annotator, and once for the signer behind it', async () => {
    let box = '';
    rig.generateWith(async ({ source, passwordBox = '' }) => {
      box = passwordBox;
      return { bytes: source, report: GENERATE_REPORT };
    });
    const body = { document: inBase64(pdf), data: {}, sign: { key: { external } }, password };
    const response = await rig.postJson(key, '/v1/generate?to=pdf', body);
    expect(response.status).toBe(200);
    const { requestId = '', box: ofSigner = '' } = seen.at(-1) ?? {};
    const annotator = new Secret(JOB_SETTINGS.ANNOTATOR_JOB_SECRET ?? '');
    expect(open(annotator, requestId, box).toString()).toBe(password);
    expect(open(new Secret(SIGNER_SECRET), requestId, ofSigner).toString()).toBe(password);
    const template = { ...body, document: { base64: docxWith(['text']).toString('base64') } };
    const refused = await rig.postJson(key, '/v1/generate?to=pdf', template);
    expect(await refused.json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'password', issue: 'is an option for PDF forms' }],
    });
  });

  test.each(PATHS)('of %s may be empty or absent', async (path) => {
    for (const more of [{}, { password: '' }]) {
      expect((await rig.postJson(key, path, { ...BODIES[path], ...more })).status).toBe(200);
      expect(seen.at(-1)?.box).toBeUndefined();
    }
  });

  test.each(PATHS)('of %s has at most 1024 characters, and is not in the refusal', async (path) => {
    const long = `${password}${'x'.repeat(1_024)}`;
    const response = await rig.postJson(key, path, { ...BODIES[path], password: long });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'password', issue: 'must have at most 1024 characters' }],
    });
    expect(text).not.toContain(password);
  });
});

test('a gateway does not start with one secret for two kinds of workers, or without one', () => {
  const environment = {
    REDIS_URL: 'redis://127.0.0.1',
    DATABASE_URL: 'postgres://127.0.0.1/scriptorium',
    SMTP_URL: 'smtp://127.0.0.1',
    CODE_PEPPER: '0'.repeat(64),
    SIGNER_SECRET,
    ...JOB_SETTINGS,
  };
  expect(loadConfig(gatewaySettings, { ...environment, VERIFIER_SECRET }).NODE_ENV).toBe('production');
  expect(() => loadConfig(gatewaySettings, { ...environment, VERIFIER_SECRET: SIGNER_SECRET })).toThrow(
    'VERIFIER_SECRET: must differ from SIGNER_SECRET',
  );
  // The same bytes in another form, as the value that is being replaced.
  const inBase64 = Buffer.from(SIGNER_SECRET, 'hex').toString('base64');
  const twice = `${VERIFIER_SECRET}, ${inBase64}`;
  expect(() => loadConfig(gatewaySettings, { ...environment, VERIFIER_SECRET: twice })).toThrow(
    'VERIFIER_SECRET: must differ from SIGNER_SECRET',
  );
  const { SIGNER_JOB_SECRET, ...others } = JOB_SETTINGS;
  expect(() => loadConfig(gatewaySettings, { ...environment, ...others, SIGNER_JOB_SECRET: '' })).toThrow(
    'SIGNER_JOB_SECRET is not set',
  );
  const CONVERTER_JOB_SECRET = SIGNER_JOB_SECRET ?? '';
  expect(() => loadConfig(gatewaySettings, { ...environment, CONVERTER_JOB_SECRET })).toThrow(
    'must differ from CONVERTER_JOB_SECRET',
  );
});

test.each(PATHS)(
  'without a secret, the password of a document for %s is refused with the reason',
  async (path) => {
    const rig = await startRig();
    const { key } = await rig.newKey();
    const response = await rig.postJson(key, path, { ...BODIES[path], password });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'password', issue: 'is not enabled on this service' }],
    });
    expect(text).not.toContain(password);
    await rig.close();
  },
);
