import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import {
  context,
  der,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  setOf,
  TAG,
  time,
  utf8String,
} from '../../src/asn1/der.ts';
import { readChildren, readDer } from '../../src/asn1/der-reader.ts';
import { OID } from '../../src/asn1/oids.ts';
import { type CmsReading, readSignedCore } from '../../src/cms/signed-core.ts';
import { readCertificate } from '../../src/x509/certificate.ts';
import {
  attribute,
  buildCms,
  CHANGED,
  codesOf,
  INTACT,
  PARTS,
  type Recipe,
  read,
  serialOf,
  signatureBy,
  signingCertificate,
  type UsualAttributes,
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

/** Returns the same SET OF in DER order. */
const sorted = (set: Buffer): Buffer => setOf(...readChildren(readDer(set)).map(({ bytes }) => bytes));

/** CMSAlgorithmProtection (RFC 6211, 2), by default with the algorithms of Ada's signatures. */
const protection = (digest = sequence(oid(OID.sha256)), signature = oid(OID.ecdsaWithSha256)): Buffer =>
  attribute(OID.algorithmProtection, sequence(digest, context(1, signature)));

/** An empty SEQUENCE in the form of a certificate. */
const NO_CERTIFICATE = sequence(sequence());

/** A certificate that readers match by name to Ada's, but with a different hash. */
function namesake(): Buffer {
  const other = Buffer.from(ada.der);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  return other;
}

/** Issuer and serial number, with the issuer in different string types, case and spacing. */
function rewrittenIdentifier(identity: Identity): Buffer {
  const parts = readChildren(readDer(readCertificate(identity.der).issuer)).map((set) => {
    const [type, value] = readChildren(readChildren(set)[0] ?? set);
    const text = `${value?.content}`.toUpperCase().replace(' ', '   ');
    return der(TAG.set, sequence(type?.bytes ?? Buffer.alloc(0), der(0x13, Buffer.from(text))));
  });
  return sequence(sequence(...parts), serialOf(identity));
}

const reversed = (usual: UsualAttributes): Buffer[] =>
  Object.values(usual).toSorted(Buffer.compare).toReversed();

describe('a correct signature', () => {
  test('is valid without faults, and the reader returns its signer and algorithm', () => {
    const { core, faults, claimedSigningTime } = made();
    expect(core).toMatchObject({
      ...INTACT,
      digestAlgorithm: 'SHA-256',
      signatureAlgorithm: 'ECDSA',
      namesSigner: 'yes',
      timestamps: [],
    });
    expect(core?.signer?.der).toEqual(ada.der);
    expect(core?.certificates.map(({ der: bytes }) => bytes)).toEqual(ada.chain);
    expect({ faults, claimedSigningTime }).toEqual({ faults: [], claimedSigningTime: undefined });
  });

  test.each<[string, () => Partial<Recipe>]>([
    ['with attributes not in DER order', () => ({ attributes: reversed })],
    [
      'with attributes signed in DER order and stored in another order',
      () => ({ attributes: reversed, signed: sorted }),
    ],
    ['with the issuer in other string types', () => ({ identifier: rewrittenIdentifier(ada) })],
    ['with an unreadable certificate among others', () => ({ certificates: [NO_CERTIFICATE, ...ada.chain] })],
    ['with an attribute certificate among the others', () => ({ certificates: [context(2), ...ada.chain] })],
    [
      'with another certificate of the same name before the named one',
      () => ({ certificates: [namesake(), ada.der] }),
    ],
    [
      'with the old ESS attribute',
      () => ({ attributes: (usual) => withEss(usual, signingCertificate(1, ada)) }),
    ],
    [
      'with both ESS attributes',
      () => ({ attributes: (usual) => [...Object.values(usual), signingCertificate(1, ada)] }),
    ],
    [
      'with a key algorithm and a separate digest',
      () => ({ signatureAlgorithm: sequence(oid(OID.ecPublicKey)) }),
    ],
    [
      'with an unknown attribute twice',
      () => ({
        attributes: (usual) => [
          ...Object.values(usual),
          attribute('1.2.3.4', utf8String('once')),
          attribute('1.2.3.4', utf8String('twice')),
        ],
      }),
    ],
    [
      'with its algorithms among the signed attributes',
      () => ({ attributes: (usual) => [...Object.values(usual), protection()] }),
    ],
    [
      'with NULL parameters only among the signed attributes',
      () => ({
        attributes: (usual) => [
          ...Object.values(usual),
          protection(sequence(oid(OID.sha256), nullValue()), oid(OID.ecdsaWithSha256)),
        ],
      }),
    ],
  ])('%s is valid without faults', (_, recipe) => {
    const { core, faults } = made(recipe());
    expect({ ...core, faults }).toMatchObject({ ...INTACT, namesSigner: 'yes', faults: [] });
    expect(core?.signer?.der).toEqual(ada.der);
  });

  test.each<[string, () => Buffer]>([
    ['another digest', () => protection(sequence(oid(OID.sha512)))],
    ['another signature algorithm', () => protection(undefined, oid(OID.ecdsaWithSha512))],
    ['no signature algorithm', () => attribute(OID.algorithmProtection, sequence(sequence(oid(OID.sha256))))],
    ['something else', () => attribute(OID.algorithmProtection, utf8String('SHA-256'))],
  ])('with %s among the signed attributes is left in doubt', (_, named) => {
    const { core, faults } = made({ attributes: (usual) => [...Object.values(usual), named()] });
    expect({ ...core, faults }).toMatchObject({ ...INTACT, faults: [{ code: 'ALGORITHM_UNSUPPORTED' }] });
  });

  test('with SHA-1 only in the name of the algorithm is left in doubt', () => {
    const { core, faults } = made({ signatureAlgorithm: sequence(oid('1.2.840.10045.4.1')) });
    expect(core).toMatchObject({ digestHolds: true, signatureHolds: false });
    expect(faults[0]).toMatchObject({
      code: 'ALGORITHM_UNSUPPORTED',
      message: 'The signature names ECDSA with SHA-1 and was made with SHA-256.',
    });
  });

  test('has the signing time of its attribute, and none if it cannot be read', () => {
    const claimed = (...values: Buffer[]) =>
      made({ attributes: (usual) => [...Object.values(usual), attribute(OID.signingTime, ...values)] });
    const at = new Date('2031-02-03T04:05:06Z');
    expect(claimed(time(at)).claimedSigningTime).toEqual(at);
    for (const values of [[], [utf8String('yesterday')], [time(at), time(at)]])
      expect(claimed(...values)).toMatchObject({ core: INTACT, faults: [] });
    expect(claimed(utf8String('yesterday')).claimedSigningTime).toBeUndefined();
  });
});

describe('a value that is not a CMS of one signer', () => {
  test.each<[string, () => Buffer]>([
    ['nothing', () => Buffer.alloc(0)],
    ['zeros', () => Buffer.alloc(5_000)],
    ['text', () => Buffer.from('This is no signature at all.')],
    ['something else', () => ada.der],
    ['the first half of one', () => buildCms({ signer: ada }).subarray(0, 600)],
    ['one with other bytes after it', () => Buffer.concat([buildCms({ signer: ada }), Buffer.of(0, 0, 1)])],
    ['endless indefinite lengths', () => Buffer.alloc(8_000_000, Buffer.of(0x30, 0x80))],
    ['millions of values', () => der(TAG.sequence, Buffer.alloc(8_000_000, nullValue()))],
    ['one without signers', () => buildCms({ signer: ada, signers: () => [] })],
    ['one of two signers', () => buildCms({ signer: ada, signers: (signer) => [signer, signer] })],
    ['one with an empty signer', () => buildCms({ signer: ada, signers: () => [sequence()] })],
    [
      'more certificates than the limit',
      () => buildCms({ signer: ada, certificates: Array.from({ length: 101 }, () => ada.der) }),
    ],
  ])('is rejected: %s', (_, cms) => {
    const { core, faults } = read(cms());
    expect(core).toBeUndefined();
    expect(faults).toMatchObject([{ code: 'CMS_INVALID' }]);
    expect(faults[0]?.message.length).toBeLessThan(200);
  });

  test.each<[string, (usual: UsualAttributes) => Buffer[]]>([
    ['no digest', ({ contentType, signingCertificate: ess }) => [contentType, ess]],
    ['no content type', ({ messageDigest, signingCertificate: ess }) => [messageDigest, ess]],
    ['another content type', (usual) => [attribute(OID.contentType, oid(OID.tstInfo)), usual.messageDigest]],
    ['the digest twice', (usual) => [...Object.values(usual), usual.messageDigest]],
    ['the content type twice', (usual) => [...Object.values(usual), usual.contentType]],
    ['the algorithms twice', (usual) => [...Object.values(usual), ...[0, 1].map(() => protection())]],
    ['the signing certificate twice', (usual) => [...Object.values(usual), usual.signingCertificate]],
    [
      'two signing times',
      (usual) => [
        ...Object.values(usual),
        ...[0, 1].map((at) => attribute(OID.signingTime, time(new Date(at)))),
      ],
    ],
    [
      'two digests',
      ({ contentType }) => [
        contentType,
        attribute(OID.messageDigest, octetString(Buffer.alloc(32)), octetString(Buffer.alloc(32))),
      ],
    ],
    ['nothing', () => []],
  ])('is rejected: the signed attributes have %s', (_, attributes) => {
    const reading = made({ attributes });
    expect(reading.core).toBeUndefined();
    expect(codesOf(reading)).toEqual(['CMS_INVALID']);
  });

  test('is rejected: without signed attributes over a content type other than data', () => {
    expect(codesOf(made({ attributes: () => undefined, contentType: '1.2.3' }))).toEqual(['CMS_INVALID']);
  });
});

describe('an invalid signature', () => {
  test('is reported for a changed document', () => {
    const reading = readSignedCore(buildCms({ signer: ada }), CHANGED, 'detached', true);
    expect(reading.core).toMatchObject({ digestHolds: false, signatureHolds: true });
    expect(codesOf(reading)).toEqual(['DIGEST_MISMATCH']);
  });

  test('is reported for enclosed content instead of the document', () => {
    const own = buildCms({ signer: ada, content: Buffer.from('something harmless') });
    expect(codesOf(read(own))).toEqual(['CONTENT_ENCAPSULATED', 'DIGEST_MISMATCH']);
    expect(codesOf(made({ content: Buffer.concat(PARTS) }))).toEqual(['CONTENT_ENCAPSULATED']);
    expect(codesOf(made({ content: Buffer.alloc(0) }))).toContain('CONTENT_ENCAPSULATED');
  });

  test('is reported for a value by another key or over other bytes', () => {
    for (const recipe of [
      { signer: ada, sign: (bytes: Buffer) => Buffer.from(signatureBy(bob, bytes)) },
      { signer: ada, signed: (bytes: Buffer) => Buffer.concat([bytes, bytes]) },
      { signer: ada, sign: () => Buffer.alloc(0) },
    ]) {
      const reading = made(recipe);
      expect(reading.core).toMatchObject({ digestHolds: true, signatureHolds: false });
      expect(codesOf(reading)).toEqual(['SIGNATURE_INVALID']);
    }
  });

  test('is reported for another document without signed attributes', () => {
    const cms = buildCms({ signer: ada, attributes: () => undefined });
    expect(readSignedCore(cms, PARTS, 'detached', false).core).toMatchObject(INTACT);
    const reading = readSignedCore(cms, CHANGED, 'detached', false);
    expect(reading.core).toMatchObject({ digestHolds: false, signatureHolds: false });
    expect(codesOf(reading)).toEqual(['SIGNATURE_INVALID', 'SIGNING_CERTIFICATE_ABSENT']);
  });

  test.each<[string, () => Partial<Recipe>]>([
    ['none at all', () => ({ certificates: [] })],
    ['only that of another person', () => ({ certificates: bob.chain })],
    ['an unreadable one in its place', () => ({ certificates: [NO_CERTIFICATE, ...ada.chain.slice(1)] })],
    ['another serial number', () => ({ identifier: sequence(readCertificate(ada.der).issuer, integer(7)) })],
    ['another issuer', () => ({ identifier: sequence(pki.root.subject, serialOf(ada)) })],
    ['another key identifier', () => ({ identifier: der(0x80, Buffer.alloc(20, 7)) })],
  ])('is reported if the signer certificate is missing: there is %s', (_, recipe) => {
    const reading = made(recipe());
    expect(reading.core).toMatchObject({ digestHolds: true, signatureHolds: false, signer: undefined });
    expect(codesOf(reading)).toEqual(['SIGNER_CERTIFICATE_MISSING']);
  });
});
