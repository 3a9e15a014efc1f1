import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import type { PublicSigningKey } from '@scriptorium/contracts/jobs/signing-key';
import { type Rig, startRig } from '../rigs/rig.ts';
import { signAll } from '../rigs/signing-rig.ts';
import { VERIFY_REPLY } from '../rigs/verifying-rig.ts';

const KEY: PublicSigningKey = {
  version: '1',
  algorithm: 'ECDSA-P-256',
  publicKey: '-----BEGIN PUBLIC KEY-----\n…',
  fingerprint: 'AB:CD',
  validFrom: '2026-01-01T00:00:00Z',
  validTo: '2028-01-01T00:00:00Z',
  issuer: 'CN=Test',
  certificate: '-----BEGIN CERTIFICATE-----\n…',
  isDevelopmentKey: true,
};

let rig: Rig;
const read = () => fetch(`${rig.url}/v1/verify/key`);

describe('the signing key of the service', () => {
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(() => rig.close());

  test('is unavailable at once without a signer', async () => {
    const askedAt = Date.now();
    const response = await read();
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('cache-control') ?? '').not.toContain('max-age');
    expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE' });
    expect(Date.now() - askedAt).toBeLessThan(4_000);
  });

  test('is read from a signer once for all callers without an API key, and again after a failure', async () => {
    let times = 0;
    rig.tellKeyWith(async () => {
      times += 1;
      if (times === 1) throw new AppError('INTERNAL_ERROR', 'Not yet.');
      await new Promise((resolve) => setTimeout(resolve, 200));
      return KEY;
    });
    // The workers are counted once a second.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect((await read()).status).toBe(500);
    const answers = await Promise.all(Array.from({ length: 10 }, read));
    for (const answer of [...answers, await read()]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
      expect(await answer.json()).toEqual(KEY);
    }
    expect(times).toBe(2);
  });
});

test('reads of the signing key are limited by client address', async () => {
  rig = await startRig({ SIGNING_KEY_READS_PER_HOUR_MAX: '2', REGISTRATIONS_PER_HOUR_MAX: '1' });
  rig.tellKeyWith(async () => KEY);
  await rig.blobKeys();
  await fetch(`${rig.url}/v1/auth/register?email=ada@example.com`);
  for (const status of [200, 200, 429]) {
    const response = await read();
    expect(response.status).toBe(status);
    if (status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  await rig.close();
});

test('health counts signers and verifiers, and is degraded without either of them', async () => {
  rig = await startRig();
  const health = async () => await (await fetch(`${rig.url}/v1/health`)).json();
  await rig.convertWith(async (bytes) => bytes);
  rig.annotateWith(async ({ source }) => source);
  const { stop } = signAll(rig);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await health()).toMatchObject({ status: 'degraded', checks: { signers: 1, verifiers: 0 } });
  rig.verifyWith(async () => VERIFY_REPLY);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await health()).toMatchObject({ status: 'healthy', checks: { signers: 1, verifiers: 1 } });
  await stop();
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await health()).toMatchObject({ status: 'degraded', checks: { signers: 0, annotators: 1 } });
  await rig.close();
});
