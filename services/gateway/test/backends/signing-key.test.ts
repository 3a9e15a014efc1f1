import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AppError } from '@scriptorium/contracts/errors';
import type { PublicSigningKey } from '@scriptorium/contracts/jobs/signing-key';
import { seriesValue } from '@scriptorium/testing/prometheus-text';
import { type Rig, startRig } from '../rigs/rig.ts';
import { signAll, until } from '../rigs/signing-rig.ts';
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
    const response = await read();
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(response.headers.get('cache-control') ?? '').not.toContain('max-age');
    // A wait for one would end in OVERLOADED.
    expect(await response.json()).toMatchObject({ code: 'UNAVAILABLE' });
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
    const statuses = [503];
    expect(await until(async () => statuses.push((await read()).status) > 0 && statuses.at(-1) !== 503)).toBe(
      true,
    );
    expect(statuses.at(-1)).toBe(500);
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
  const workers = async () =>
    seriesValue(await rig.metrics(), 'scriptorium_queue_workers', { queue: 'signing-key' });
  expect(await until(async () => (await workers()) === 1)).toBe(true);
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
  const isHealth = (status: string, checks: Record<string, number>) => async () => {
    const health = (await (await fetch(`${rig.url}/v1/health`)).json()) as {
      status: string;
      checks: Record<string, unknown>;
    };
    const isSo = Object.entries(checks).every(([name, count]) => health.checks[name] === count);
    return health.status === status && isSo;
  };
  await rig.convertWith(async (bytes) => bytes);
  rig.annotateWith(async ({ source }) => source);
  const { stop } = signAll(rig);
  expect(await until(isHealth('degraded', { converters: 1, annotators: 1, signers: 1, verifiers: 0 }))).toBe(
    true,
  );
  rig.verifyWith(async () => VERIFY_REPLY);
  expect(await until(isHealth('healthy', { signers: 1, verifiers: 1 }))).toBe(true);
  await stop();
  expect(await until(isHealth('degraded', { signers: 0, annotators: 1 }))).toBe(true);
  await rig.close();
});
