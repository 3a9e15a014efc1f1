import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testInWhole } from '@scriptorium/testing/extent';
import { openssl } from '@scriptorium/testing/openssl';
import { fetcherTo, withFault } from '@scriptorium/testing/pki/fetching';
import type { KeyType } from '@scriptorium/testing/pki/keys';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { TSA_POLICY, type TsaFault } from '@scriptorium/testing/pki/time-stamp';
import { causeOf, failureOf } from '@scriptorium/testing/refusal';
import { DerError } from '../../src/asn1/der-reader.ts';
import { openTimestampToken, TimestampTokenError } from '../../src/tsp/time-stamp-token.ts';
import { createTimestamper, type TimestampProfile } from '../../src/tsp/timestamper.ts';

const DATA = Buffer.from('the signature of a document');

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const timestamper = (authorities: Pki, profile: Partial<TimestampProfile> = {}, signal?: AbortSignal) =>
  createTimestamper({ url: authorities.tsaUrl, hash: 'sha256', ...profile }, fetcherTo(authorities), signal);

const judge = (authorities: Pki, token: Buffer, hash = 'sha256') =>
  openssl(
    [
      ...['ts', '-verify', '-token_in', '-in', 'token.der', '-CAfile', 'root.pem'],
      ...['-digest', createHash(hash).update(DATA).digest('hex')],
    ],
    { 'token.der': token, 'root.pem': authorities.root.pem },
  );

describe('a time-stamp', () => {
  test.each<KeyType>(['rsa-2048', 'rsa-pss', 'p-256', 'p-384', 'p-521'])(
    'by a key of type %s is accepted, also by openssl',
    async (tsaKeyType) => {
      const authorities = await createPki({ tsaKeyType });
      try {
        const before = Date.now();
        const { token, time } = await timestamper(authorities).timestamp(DATA);
        expect(Math.abs(time.getTime() - before)).toBeLessThan(60_000);
        expect((await judge(authorities, token)).output).toMatch(/Verification: OK/);
      } finally {
        await authorities.close();
      }
    },
  );

  test.each(['sha384', 'sha512'] as const)('uses the hash %s of the profile', async (hash) => {
    const { token } = await timestamper(pki, { hash }).timestamp(DATA);
    expect((await judge(pki, token, hash)).output).toMatch(/Verification: OK/);
  });

  test('with signing certificate attribute version 1 is accepted', async () => {
    pki.tsaOptions.hasOldEss = true;
    try {
      const { token } = await timestamper(pki).timestamp(DATA);
      expect((await judge(pki, token)).output).toMatch(/Verification: OK/);
    } finally {
      pki.tsaOptions.hasOldEss = false;
    }
  });

  test('in BER is accepted and converted to DER', async () => {
    pki.tsaOptions.isBer = true;
    try {
      const { token } = await timestamper(pki).timestamp(DATA);
      expect((await judge(pki, token)).output).toMatch(/Verification: OK/);
      expect(() => openTimestampToken(token)).not.toThrow();
    } finally {
      pki.tsaOptions.isBer = false;
    }
  });

  test('is requested with the policy, user name and password of the profile', async () => {
    const profile = { policy: `${TSA_POLICY}.7`, username: 'ada', password: { reveal: () => 'gehéim' } };
    const { token } = await timestamper(pki, profile).timestamp(DATA);
    const text = await openssl(['ts', '-reply', '-token_in', '-in', 'token.der', '-token_out', '-text'], {
      'token.der': token,
    });
    expect(text.output).toContain(`Policy OID: ${TSA_POLICY}.7`);
    const { headers } = pki.visits.at(-1) ?? {};
    expect(headers?.['content-type']).toBe('application/timestamp-query');
    expect(headers?.authorization).toBe(`Basic ${Buffer.from('ada:gehéim').toString('base64')}`);
  });

  test('of the same bytes is requested with a new nonce each time', async () => {
    await timestamper(pki).timestamp(DATA);
    await timestamper(pki).timestamp(DATA);
    const [first, second] = pki.visits.slice(-2).map(({ body }) => body);
    expect(first?.equals(second ?? Buffer.of())).toBe(false);
  });
});

describe('a time-stamping authority', () => {
  const REFUSED = /refused the request/;
  const UNREACHABLE = /could not be reached or did not answer/;
  const INVALID = /token of the time-stamping authority is invalid/;

  test.each<[TsaFault, RegExp, RegExp]>([
    ['down', UNREACHABLE, /other side closed|ECONNRESET|socket/],
    ['unauthorized', UNREACHABLE, /401/],
    ['garbage', INVALID, /tag|length/],
    ['refusal', REFUSED, /status 2 no more stamps today/],
    ['wrongImprint', INVALID, /stamps other data/],
    ['wrongNonce', INVALID, /nonce differs or is missing/],
    ['noNonce', INVALID, /nonce differs or is missing/],
    ['wrongPolicy', INVALID, /policy is 1\.3\.6\.1\.4\.1\.55555\.1\.1\.9/],
    ['wrongUsage', INVALID, /not restricted to time-stamping/],
    ['notCriticalUsage', INVALID, /not restricted to time-stamping/],
    ['manyUsages', INVALID, /not restricted to time-stamping/],
    ['expired', INVALID, /was not valid at 20/],
    ['wrongSignature', INVALID, /signature is not that of the certificate/],
    ['wrongDigest', INVALID, /content does not match the signed digest/],
    ['otherEss', INVALID, /do not name the certificate/],
    ['noEss', INVALID, /do not name the certificate/],
    ['noCertificate', INVALID, /signer certificate is missing/],
    ['wrongContent', INVALID, /not a time-stamp/],
  ])('with the fault %s returns no usable time-stamp', async (fault, message, cause) => {
    const failure = await withFault(pki, { tsa: fault }, () =>
      failureOf(timestamper(pki, { policy: TSA_POLICY }).timestamp(DATA)),
    );
    expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
    expect(failure.message).toMatch(message);
    expect(causeOf(failure)).toMatch(cause);
    expect(failure.message).not.toContain(pki.fetchAllow);
  });

  testInWhole('that does not answer is abandoned', async () => {
    const failure = await withFault(pki, { tsa: 'slow' }, () => failureOf(timestamper(pki).timestamp(DATA)));
    expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
    expect(failure.message).toMatch(/did not answer in time/);
  });

  test('is abandoned when the caller aborts', async () => {
    const controller = new AbortController();
    const reason = new Error('the caller has left');
    await withFault(pki, { tsa: 'slow' }, async () => {
      const stamping = timestamper(pki, {}, controller.signal).timestamp(DATA);
      setTimeout(() => controller.abort(reason), 50);
      await expect(stamping).rejects.toBe(reason);
    });
  });

  test('with a key that is too short returns no usable time-stamp', async () => {
    const authorities = await createPki({ tsaKeyType: 'rsa-1024' });
    try {
      const failure = await failureOf(timestamper(authorities).timestamp(DATA));
      expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
      expect(causeOf(failure)).toMatch(/RSA key of 1024 bits is not supported/);
    } finally {
      await authorities.close();
    }
  });

  test('is not queried if the fetch policy does not allow it', async () => {
    const visits = pki.visits.length;
    const profile = { url: pki.tsaUrl, hash: 'sha256' } as const;
    const failure = await failureOf(createTimestamper(profile, fetcherTo()).timestamp(DATA));
    expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
    expect(causeOf(failure)).toMatch(/127\.0\.0\.1:\d+ is not open/);
    expect(pki.visits).toHaveLength(visits);
  });

  testInWhole('cannot be impersonated by changing any byte of a token', async () => {
    const { token, time } = await timestamper(pki).timestamp(DATA);
    const { imprint } = openTimestampToken(token);
    for (let index = 0; index < token.length; index++) {
      const changed = Buffer.from(token);
      changed[index] = (changed[index] ?? 0) ^ 0x01;
      const opened = opens(changed);
      if (opened !== undefined) expect({ ...opened }).toEqual({ time, imprint });
      expect(opens(token.subarray(0, index))).toBeUndefined();
    }
  });
});

/** Opens a token; returns undefined if it is invalid. Fails the test for any other kind of error. */
function opens(token: Buffer) {
  try {
    const { time, imprint } = openTimestampToken(token);
    return { time, imprint };
  } catch (error) {
    if (error instanceof TimestampTokenError || error instanceof DerError) return undefined;
    throw error;
  }
}
