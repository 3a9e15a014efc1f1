import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Certificate, displayName, readCertificate } from '@scriptorium/pki/certificates';
import { DerError } from '@scriptorium/pki/error';
import { testInWhole } from '@scriptorium/testing/extent';
import { ia5String, implicit, sequence } from '@scriptorium/testing/pki/der';
import { extension } from '@scriptorium/testing/pki/issue-certificate';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { judgePath, read, signerBelow } from './paths.ts';
import { documentOf, signatureBy, trustIn, tryOne } from './trials.ts';

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

/** Yields a certificate with one byte changed in one of two ways, if it can be read at all. */
function* mutations(der: Buffer): Generator<Certificate> {
  for (let index = 0; index < der.length; index++)
    for (const bits of [0x01, 0x80]) {
      const changed = Buffer.from(der);
      changed[index] = (changed[index] ?? 0) ^ bits;
      try {
        yield readCertificate(changed);
      } catch (error) {
        if (!(error instanceof DerError)) throw error;
      }
    }
}

test('a signer certificate changed anywhere is untrusted, with or without online queries', async () => {
  const ada = await pki.issue({ name: 'Ada Lovelace', places: { ocsp: [], crl: [], caIssuers: [] } });
  const [issuer] = read(pki.intermediate) as [Certificate];
  let count = 0;
  for (const signer of mutations(ada.der)) {
    const signature = signatureBy(ada, { signer, certificates: [signer, issuer] });
    for (const revocation of ['embedded', 'online'] as const) {
      const { codes } = await tryOne(documentOf([signature]), trustIn(pki, { revocation }));
      expect(codes).toContain('CHAIN_UNTRUSTED');
    }
    count++;
  }
  expect(count).toBeGreaterThan(100);
});

testInWhole('a CA certificate changed anywhere does not make a signer trusted', async () => {
  const ada = await pki.issue({ name: 'Ada Lovelace' });
  for (const issuer of mutations(pki.intermediate.der))
    expect(judgePath(pki, ada, { pool: [issuer] }).codes).toEqual(['CHAIN_UNTRUSTED']);
});

test('a signer without a subject is named by alternative names', async () => {
  const names = sequence(implicit(1, ia5String('ada@example.com')));
  const nameless = await pki.issue({ name: '', otherExtensions: [extension('2.5.29.17', names, true)] });
  const { codes, faults } = await tryOne(documentOf([signatureBy(nameless)]), trustIn(pki, { anchors: [] }));
  expect(codes).toEqual(['CHAIN_UNTRUSTED']);
  expect(faults).toHaveLength(1);
  expect(displayName(...(read(nameless) as [Certificate]))).toBe('email:ada@example.com');
});

test.each([
  ['key usage', '2.5.29.15'],
  ['extended key usage', '2.5.29.37'],
  ['alternative names', '2.5.29.17'],
  ['name constraints', '2.5.29.30'],
  ['authority information access', '1.3.6.1.5.5.7.1.1'],
  ['CRL distribution points', '2.5.29.31'],
])('unreadable %s do not make a signature valid or a verification fail', async (_what, id) => {
  for (const value of ['', '00', '0500', '3003020101', '30050303', '03020700', '3006a0040500', '300c']) {
    const otherExtensions = [extension(id, Buffer.from(value, 'hex'))];
    const places = { ocsp: [], crl: [], caIssuers: [] };
    const keyUsage: [] = [];
    const leaf = await pki.issue({ name: 'Eve', otherExtensions, places, keyUsage });
    const below = await signerBelow(pki, { otherExtensions, places, keyUsage }, { places });
    for (const signer of [leaf, below])
      for (const revocation of ['embedded', 'online'] as const) {
        const { codes } = await tryOne(documentOf([signatureBy(signer)]), trustIn(pki, { revocation }));
        expect(codes.filter((code) => !/^(CHAIN_|REVOCATION_)/.test(code))).toEqual([]);
      }
  }
});
