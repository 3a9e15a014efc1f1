import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { context, octetString, oid, sequence, utf8String } from '../../src/asn1/der.ts';
import { OID } from '../../src/asn1/oids.ts';
import type { CmsReading } from '../../src/cms/signed-core.ts';
import {
  attribute,
  buildCms,
  codesOf,
  INTACT,
  issuerSerial,
  type Recipe,
  read,
  serialOf,
  signingCertificate,
  withEss,
} from './build-cms.ts';

let pki: Pki;
let ada: Identity;
let bob: Identity;
beforeAll(async () => {
  pki = await createPki();
  ada = await pki.issue({ name: 'Ada' });
  bob = await pki.issue({ name: 'Bob' });
});
afterAll(() => pki.close());

const made = (recipe: Partial<Recipe> = {}): CmsReading => read(buildCms({ signer: ada, ...recipe }));

describe('the signing certificate attribute', () => {
  const withAttribute = (ess: Buffer) => made({ attributes: (usual) => withEss(usual, ess) });
  const unknown = () => ({ ...ada, der: Buffer.alloc(100) });

  test.each<[string, () => Buffer]>([
    ['another certificate', () => signingCertificate(2, bob)],
    ['another certificate first', () => signingCertificate(2, bob, ada)],
    ['another certificate in version 1', () => signingCertificate(1, bob)],
    ['another serial number', () => signingCertificate(2, { ...ada, issuerSerial: issuerSerial(bob) })],
    [
      'another issuer',
      () =>
        signingCertificate(2, {
          ...ada,
          issuerSerial: sequence(sequence(context(4, bob.subject)), serialOf(ada)),
        }),
    ],
    [
      'a serial number without an issuer',
      () => signingCertificate(2, { ...ada, issuerSerial: sequence(sequence(), serialOf(ada)) }),
    ],
    ['none', () => attribute(OID.signingCertificateV2, sequence(sequence()))],
    ['unreadable data', () => attribute(OID.signingCertificateV2, utf8String('Ada'))],
    [
      'an unknown hash',
      () =>
        attribute(
          OID.signingCertificateV2,
          sequence(sequence(sequence(sequence(oid('1.2.3')), octetString(Buffer.alloc(32))))),
        ),
    ],
    ['an unknown certificate', () => signingCertificate(2, unknown())],
  ])('is rejected if it names %s', (_, ess) => {
    const reading = withAttribute(ess());
    expect(reading.core).toMatchObject({ ...INTACT, namesSigner: 'no' });
    expect(codesOf(reading)).toEqual(['SIGNING_CERTIFICATE_MISMATCH']);
  });

  test('is rejected if version 2 names the certificate and version 1 another', () => {
    const reading = made({ attributes: (usual) => [...Object.values(usual), signingCertificate(1, bob)] });
    expect(codesOf(reading)).toEqual(['SIGNING_CERTIFICATE_MISMATCH']);
  });

  test('may be absent if the format does not require it', () => {
    const cms = buildCms({
      signer: ada,
      attributes: ({ contentType, messageDigest }) => [contentType, messageDigest],
    });
    expect(codesOf(read(cms, 'detached', true))).toEqual(['SIGNING_CERTIFICATE_REQUIRED']);
    const reading = read(cms, 'detached', false);
    expect(reading.core).toMatchObject({ ...INTACT, namesSigner: 'absent' });
    expect(codesOf(reading)).toEqual(['SIGNING_CERTIFICATE_ABSENT']);
  });
});
