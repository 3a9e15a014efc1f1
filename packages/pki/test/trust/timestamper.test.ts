import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
    'by a key of %s is taken, and holds to openssl',
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

  test.each(['sha384', 'sha512'] as const)('is over the hash %s where the profile says so', async (hash) => {
    const { token } = await timestamper(pki, { hash }).timestamp(DATA);
    expect((await judge(pki, token, hash)).output).toMatch(/Verification: OK/);
  });

  test('that names its certificate as of old is taken', async () => {
    pki.tsaOptions.hasOldEss = true;
    try {
      const { token } = await timestamper(pki).timestamp(DATA);
      expect((await judge(pki, token)).output).toMatch(/Verification: OK/);
    } finally {
      pki.tsaOptions.hasOldEss = false;
    }
  });

  test('that is written in BER is taken, and becomes DER', async () => {
    pki.tsaOptions.isBer = true;
    try {
      const { token } = await timestamper(pki).timestamp(DATA);
      expect((await judge(pki, token)).output).toMatch(/Verification: OK/);
      expect(() => openTimestampToken(token)).not.toThrow();
    } finally {
      pki.tsaOptions.isBer = false;
    }
  });

  test('is asked for by the policy of the profile, with its name and password', async () => {
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

  test('of the same bytes is asked for with another nonce each time', async () => {
    await timestamper(pki).timestamp(DATA);
    await timestamper(pki).timestamp(DATA);
    const [first, second] = pki.visits.slice(-2).map(({ body }) => body);
    expect(first?.equals(second ?? Buffer.of())).toBe(false);
  });
});

describe('an authority', () => {
  const REFUSES = /refused to stamp/;
  const GIVES_NO_ANSWER = /could not be asked, or gave no answer/;
  const DOES_NOT_HOLD = /time-stamp of the authority does not hold/;

  test.each<[TsaFault, RegExp, RegExp]>([
    ['down', GIVES_NO_ANSWER, /other side closed|ECONNRESET|socket/],
    ['unauthorized', GIVES_NO_ANSWER, /401/],
    ['garbage', DOES_NOT_HOLD, /tag|length/],
    ['refusal', REFUSES, /status 2 no more stamps today/],
    ['wrongImprint', DOES_NOT_HOLD, /stamps something else/],
    ['wrongNonce', DOES_NOT_HOLD, /another nonce, or none/],
    ['noNonce', DOES_NOT_HOLD, /another nonce, or none/],
    ['wrongPolicy', DOES_NOT_HOLD, /by policy 1\.3\.6\.1\.4\.1\.55555\.1\.1\.9/],
    ['wrongUsage', DOES_NOT_HOLD, /not one for time-stamping alone/],
    ['notCriticalUsage', DOES_NOT_HOLD, /not one for time-stamping alone/],
    ['manyUsages', DOES_NOT_HOLD, /not one for time-stamping alone/],
    ['expired', DOES_NOT_HOLD, /was not valid at 20/],
    ['wrongSignature', DOES_NOT_HOLD, /signature is not that of the certificate/],
    ['wrongDigest', DOES_NOT_HOLD, /content is not what was signed/],
    ['otherEss', DOES_NOT_HOLD, /name another certificate, or none/],
    ['noEss', DOES_NOT_HOLD, /name another certificate, or none/],
    ['noCertificate', DOES_NOT_HOLD, /certificate of the signer is missing/],
    ['wrongContent', DOES_NOT_HOLD, /not a time-stamp/],
  ])('with the fault %s gives no time-stamp', async (fault, message, cause) => {
    const failure = await withFault(pki, { tsa: fault }, () =>
      failureOf(timestamper(pki, { policy: TSA_POLICY }).timestamp(DATA)),
    );
    expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
    expect(failure.message).toMatch(message);
    expect(causeOf(failure)).toMatch(cause);
    expect(failure.message).not.toContain(pki.fetchAllow);
  });

  test('that stays silent is given up', async () => {
    const failure = await withFault(pki, { tsa: 'slow' }, () => failureOf(timestamper(pki).timestamp(DATA)));
    expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
    expect(failure.message).toMatch(/did not answer in time/);
  }, 20_000);

  test('is waited for no longer than the caller waits', async () => {
    const controller = new AbortController();
    const reason = new Error('the caller has left');
    await withFault(pki, { tsa: 'slow' }, async () => {
      const stamping = timestamper(pki, {}, controller.signal).timestamp(DATA);
      setTimeout(() => controller.abort(reason), 50);
      await expect(stamping).rejects.toBe(reason);
    });
  });

  test('whose key is too short gives no time-stamp', async () => {
    const authorities = await createPki({ tsaKeyType: 'rsa-1024' });
    try {
      const failure = await failureOf(timestamper(authorities).timestamp(DATA));
      expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
      expect(causeOf(failure)).toMatch(/RSA key of 1024 bits is not taken/);
    } finally {
      await authorities.close();
    }
  });

  test('is not asked where the policy of fetching does not open it', async () => {
    const visits = pki.visits.length;
    const profile = { url: pki.tsaUrl, hash: 'sha256' } as const;
    const failure = await failureOf(createTimestamper(profile, fetcherTo()).timestamp(DATA));
    expect(failure.code).toBe('TIMESTAMP_UNAVAILABLE');
    expect(causeOf(failure)).toMatch(/127\.0\.0\.1:\d+ is not open/);
    expect(pki.visits).toHaveLength(visits);
  });

  test('whose token is changed in any byte does not make another of it', async () => {
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

/** What a token says; undefined where it does not hold. Fails the test where it fails in another way than it says. */
function opens(token: Buffer) {
  try {
    const { time, imprint } = openTimestampToken(token);
    return { time, imprint };
  } catch (error) {
    if (error instanceof TimestampTokenError || error instanceof DerError) return undefined;
    throw error;
  }
}
