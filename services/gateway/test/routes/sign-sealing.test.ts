import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { open } from '@scriptorium/sealing/sealed-box';
import { Secret } from '@scriptorium/shared/config';
import { type Rig, startRig } from '../rigs/rig.ts';
import { cert, document, external, privateKey } from '../rigs/sign-requests.ts';
import { docx, inBase64, PDF_TYPE, pdf, SIGN_REPLY, signAll } from '../rigs/signing-rig.ts';

const SIGNER_SECRET = randomBytes(32).toString('hex');
const password = `pass-${randomBytes(12).toString('hex')}`;
const file = randomBytes(3_000).toString('base64');

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig({ SIGNER_SECRET });
  ({ key } = await rig.newKey());
});
afterAll(() => rig.close());

const KEYS = {
  p12: { given: { p12: { base64: file, password } }, sent: { kind: 'p12', base64: file, password } },
  pem: {
    given: { pem: { privateKey, certificates: cert, password } },
    sent: { kind: 'pem', privateKey, certificates: cert, password },
  },
};

/** Texts that must not appear outside of the box: the password, and any part of the key in either of its forms. */
async function expectNoSecretIn(content: Buffer): Promise<void> {
  const text = content.toString('latin1');
  const pieces = [privateKey.split('\n')[1] ?? '', file.slice(100, 140), file.slice(-40)];
  expect(text.length).toBeGreaterThan(100);
  for (const piece of [password, ...pieces]) {
    expect(text.includes(piece)).toBe(false);
    expect(text.includes(Buffer.from(piece).toString('base64').slice(0, -4))).toBe(false);
  }
  expect(content.includes(Buffer.from(file, 'base64').subarray(100, 120))).toBe(false);
}

describe('the key of a caller', () => {
  test.each(Object.entries(KEYS))(
    'as %s is never in Redis unencrypted, and reaches a signer with the secret',
    async (_name, { given, sent }) => {
      let opened: unknown;
      const stop = rig.signWith(async ({ source, signing }, { requestId }) => {
        await expectNoSecretIn(await rig.everythingInRedis());
        if (signing.key.kind !== 'sealed') throw new Error('the key is not sealed');
        opened = JSON.parse(open(new Secret(SIGNER_SECRET), requestId, signing.key.box).toString());
        return { bytes: source, contentType: PDF_TYPE, reply: SIGN_REPLY };
      });
      const response = await rig.postJson(key, '/v1/sign', { document: inBase64(pdf), key: given });
      expect(response.status).toBe(200);
      expect(opened).toEqual(sent);
      await stop();
    },
  );

  test('stays encrypted while its document waits for a converter, is converted, and waits for a signer', async () => {
    const seen: Buffer[] = [];
    const look = async () => void seen.push(await rig.everythingInRedis());
    const answer = rig.postJson(key, '/v1/sign?to=pdf', { document: inBase64(docx), key: KEYS.p12.given });
    const waitsFor = async (job: string) => {
      while ((await rig.waiting(job)) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      await look();
    };
    await waitsFor('convert');
    const stopConverter = await rig.convertWith(async (bytes) => {
      await look();
      return Buffer.from(`%PDF of ${bytes}`);
    });
    await waitsFor('sign');
    const { asked, stop } = signAll(rig);
    expect((await answer).status).toBe(200);
    expect(asked.last?.signing.key.kind).toBe('sealed');
    expect(seen).toHaveLength(3);
    for (const content of seen) {
      // The inspected data belong to this request, whose blobs are encrypted, too.
      expect(content.includes('.request')).toBe(true);
      expect(content.includes('"sealed"')).toBe(false);
      await expectNoSecretIn(content);
    }
    await stopConverter();
    await stop();
  });

  test('is sealed for its own request only', async () => {
    const boxes: { requestId: string; box: string }[] = [];
    const stop = rig.signWith(async ({ source, signing }, { requestId }) => {
      if (signing.key.kind === 'sealed') boxes.push({ requestId, box: signing.key.box });
      return { bytes: source, contentType: PDF_TYPE, reply: SIGN_REPLY };
    });
    for (let i = 0; i < 2; i++)
      await rig.postJson(key, '/v1/sign', { document: inBase64(pdf), key: KEYS.p12.given });
    const [first, second] = boxes;
    expect(first?.box).not.toBe(second?.box);
    expect(() => open(new Secret(SIGNER_SECRET), first?.requestId ?? '', second?.box ?? '')).toThrow();
    await stop();
  });
});

describe('without SIGNER_SECRET', () => {
  let plainRig: Rig;
  let plainKey: string;
  beforeAll(async () => {
    plainRig = await startRig();
    ({ key: plainKey } = await plainRig.newKey());
  });
  afterAll(() => plainRig.close());

  test.each(Object.entries(KEYS))('a key as %s is rejected with the reason', async (name, { given }) => {
    const response = await plainRig.postJson(plainKey, '/v1/sign', { document, key: given });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      code: 'SIGNING_KEY_INVALID',
      message: expect.stringContaining('SIGNER_SECRET'),
      details: [{ field: `key.${name}`, issue: 'is not enabled on this service' }],
    });
    expect(text).not.toContain(password);
    expect(await plainRig.blobKeys()).toEqual([]);
  });

  test('an external key and the keys of the service are accepted', async () => {
    const { asked } = signAll(plainRig);
    const body = { document: inBase64(pdf), key: { external } };
    expect((await plainRig.postJson(plainKey, '/v1/sign', body)).status).toBe(200);
    expect(asked.last?.signing.key.kind).toBe('external');
  });
});
