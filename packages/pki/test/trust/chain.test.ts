import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetcherTo, never, pathsSince, withFault } from '@scriptorium/testing/pki/fetching';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { causeOf, failureOf } from '@scriptorium/testing/refusal';
import { collectValidationData } from '../../src/revocation/validation-data.ts';
import { collectFrom } from './collecting.ts';

let pki: Pki;
let signer: Identity;
beforeAll(async () => {
  pki = await createPki();
  signer = await pki.issue({ name: 'Ada Lovelace' });
});
afterAll(() => pki.close());

const collect = (certificates: Buffer[], authorities = pki) => collectFrom(authorities, certificates);

describe('an issuer', () => {
  test.each([undefined, 'pem', 'pkcs7'] as const)(
    'is fetched in the form that its server returns: %s',
    async (form) => {
      const data = await withFault(pki, { caIssuers: form }, () => collect([signer.der]));
      expect(data.certificates.slice(0, 3)).toEqual(signer.chain);
      expect(data.ocsps).toHaveLength(2);
    },
  );

  test.each(['down', 'garbage'] as const)(
    'that cannot be fetched (%s) leaves the revocation status unavailable',
    async (fault) => {
      const failure = await withFault(pki, { caIssuers: fault }, () => failureOf(collect([signer.der])));
      expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
      expect(failure.message).toMatch(/“Ada Lovelace”/);
      expect(causeOf(failure)).toMatch(/issuer was not found/);
    },
  );

  test('with an unreadable URL leaves the revocation status unavailable', async () => {
    const der = Buffer.from(signer.der);
    const access = der.indexOf(Buffer.from('06082b06010505070101', 'hex'));
    // A SET instead of the SEQUENCE of URLs.
    der[der.indexOf(0x30, access)] = 0x31;
    const failure = await failureOf(collect([der, pki.root.der]));
    expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
    expect(causeOf(failure)).toMatch(/issuer was not found/);
  });

  test('certified by two authorities is used with the known one', async () => {
    const other = await createPki();
    try {
      const nowhere = { ocsp: [], crl: [], caIssuers: [] };
      const { privateKey, publicKey, name } = pki.intermediate;
      const request = { name, keyPair: { privateKey, publicKey }, ca: {}, places: nowhere };
      const twin = await other.issue({ ...request, issuer: other.root });
      const data = await collect([signer.der, twin.der, pki.intermediate.der, pki.root.der]);
      expect(data.certificates.slice(0, 3)).toEqual(signer.chain);
    } finally {
      await other.close();
    }
  });

  test('with the same name and another key is not used', async () => {
    const other = await createPki();
    try {
      const failure = await withFault(pki, { caIssuers: 'garbage' }, () =>
        failureOf(collect([signer.der, other.intermediate.der, other.root.der])),
      );
      expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
    } finally {
      await other.close();
    }
  });

  test.each([
    ['a cloud metadata service', 'http://169.254.169.254/latest/meta-data/'],
    ['an internal address', 'http://127.0.0.2/'],
    ['a file', 'file:///etc/passwd'],
    ['a directory', 'ldap://127.0.0.1/cn=ca'],
  ])('or a status at %s is not requested', async (_what, place) => {
    const places = { ocsp: [place], crl: [place], caIssuers: [place] };
    const leaf = await pki.issue({ name: 'Charles Babbage', places });
    const since = pki.visits.length;
    const alone = await failureOf(collect([leaf.der]));
    expect(alone.code).toBe('REVOCATION_UNAVAILABLE');
    expect(pki.visits).toHaveLength(since);
    const withIssuers = await failureOf(collect(leaf.chain));
    expect(withIssuers.code).toBe('REVOCATION_UNAVAILABLE');
    if (place.startsWith('http')) expect(causeOf(withIssuers)).toMatch(/is not open/);
  });

  test('is requested from at most two URLs, even if a certificate names more', async () => {
    const origin = new URL(pki.tsaUrl).origin;
    const many = Array.from({ length: 50 }, (_, index) => `${origin}/nowhere/${index}`);
    const leaf = await pki.issue({ name: 'Eve', places: { ocsp: many, crl: many, caIssuers: many } });
    const since = pki.visits.length;
    const failure = await failureOf(collect([leaf.der, pki.intermediate.der]));
    expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
    expect(pathsSince(pki, since).filter((path) => /^\d+$/.test(path)).length).toBeLessThanOrEqual(4);
  });

  test('is not fetched if no destination is allowed', async () => {
    const since = pki.visits.length;
    const failure = await failureOf(collectValidationData([signer.der], fetcherTo(), never()));
    expect(failure.code).toBe('REVOCATION_UNAVAILABLE');
    expect(pki.visits).toHaveLength(since);
  });

  test('is not searched among more certificates than the limit of a chain', async () => {
    const failure = await failureOf(collect(Array.from({ length: 33 }, () => signer.der)));
    expect(failure.code).toBe('SIGNING_KEY_INVALID');
    expect(failure.message).toMatch(/more than 32 certificates/);
  });

  test('is not used in a chain with an invalid certificate', async () => {
    const failure = await failureOf(collect([signer.der, Buffer.from('no certificate')]));
    expect(failure.code).toBe('SIGNING_KEY_INVALID');
    expect(failure.message).toMatch(/certificate of the chain cannot be read/);
  });
});
