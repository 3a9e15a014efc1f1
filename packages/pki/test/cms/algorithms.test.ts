import { createHash, generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { octetString, oid, sequence } from '../../src/asn1/der.ts';
import { OID } from '../../src/asn1/oids.ts';
import { type CmsReading, readSignedCore } from '../../src/cms/signed-core.ts';
import {
  attribute,
  buildCms,
  CHANGED,
  codesOf,
  INTACT,
  PARTS,
  type Recipe,
  read,
  signatureBy,
} from './build-cms.ts';

let pki: Pki;
let ada: Identity;
beforeAll(async () => {
  pki = await createPki();
  ada = await pki.issue({ name: 'Ada' });
});
afterAll(() => pki.close());

const made = (recipe: Partial<Recipe> = {}): CmsReading => read(buildCms({ signer: ada, ...recipe }));

describe('the reader of a CMS', () => {
  test('reports unknown algorithms as unsupported, not as forgeries', () => {
    const digest = made({ digestAlgorithm: sequence(oid('1.2.3.4')) });
    expect(digest.core).toMatchObject({ digestHolds: false, digestAlgorithm: '1.2.3.4' });
    expect(codesOf(digest)).toEqual(['ALGORITHM_UNSUPPORTED']);
    const signature = made({ signatureAlgorithm: sequence(oid('1.2.3.4')) });
    expect(signature.core).toMatchObject({
      digestHolds: true,
      signatureHolds: false,
      signatureAlgorithm: '1.2.3.4',
    });
    expect(codesOf(signature)).toEqual(['ALGORITHM_UNSUPPORTED']);
  });

  test.each<[string, () => Promise<Partial<Recipe>>, RegExp]>([
    ['SHA-1', async () => ({ hash: 'sha1' }), /SHA-1/],
    [
      'a short RSA key',
      async () => ({ signer: await pki.issue({ name: 'Short', keyType: 'rsa-1024' }) }),
      /1024 bits/,
    ],
  ])('accepts a signature with a weak algorithm and reports it: %s', async (_, recipe, message) => {
    const reading = made(await recipe());
    expect(reading.core).toMatchObject(INTACT);
    expect(reading.faults).toMatchObject([
      { code: 'WEAK_ALGORITHM', message: expect.stringMatching(message) },
    ]);
  });

  test('reports a SHA-1 signature over a SHA-256 digest', () => {
    const reading = made({
      sign: (bytes) => signatureBy(ada, bytes, 'sha1'),
      signatureAlgorithm: sequence(oid('1.2.840.10045.4.1')),
    });
    expect(reading.core).toMatchObject(INTACT);
    expect(codesOf(reading)).toEqual(['WEAK_ALGORITHM']);
  });
});

describe('plain ECDSA (BSI TR-03111)', () => {
  const PLAIN = '0.4.0.127.0.7.1.1.4.1';
  const plain = (bytes: Buffer, hash = 'sha256') =>
    sign(hash, bytes, { key: ada.privateKey, dsaEncoding: 'ieee-p1363' });

  test('is read as the scheme says', () => {
    const reading = made({ sign: plain, signatureAlgorithm: sequence(oid(`${PLAIN}.3`)) });
    expect(reading.core).toMatchObject({ ...INTACT, signatureAlgorithm: 'ECDSA' });
    expect(reading.faults).toEqual([]);
  });

  test.each<[string, Partial<Recipe>, string]>([
    ['a value in DER', { signatureAlgorithm: sequence(oid(`${PLAIN}.3`)) }, 'SIGNATURE_INVALID'],
    ['a plain value under another name', { sign: plain }, 'SIGNATURE_INVALID'],
    [
      'a value with zeros behind it',
      {
        sign: (bytes) => Buffer.concat([plain(bytes), Buffer.alloc(2)]),
        signatureAlgorithm: sequence(oid(`${PLAIN}.3`)),
      },
      'SIGNATURE_INVALID',
    ],
    [
      'another hash',
      { sign: plain, signatureAlgorithm: sequence(oid(`${PLAIN}.4`)) },
      'ALGORITHM_UNSUPPORTED',
    ],
    ['RIPEMD-160', { sign: plain, signatureAlgorithm: sequence(oid(`${PLAIN}.6`)) }, 'ALGORITHM_UNSUPPORTED'],
  ])('does not hold with %s', (_, recipe, code) => {
    expect(codesOf(made(recipe))).toContain(code);
  });
});

describe('EdDSA', () => {
  test.each<
    [string, { keyPair: KeyPairKeyObjectResult; id: string; digest: string; hash: string; name: string }]
  >([
    [
      'Ed25519',
      {
        keyPair: generateKeyPairSync('ed25519'),
        id: '1.3.101.112',
        digest: OID.sha512,
        hash: 'sha512',
        name: 'SHA-512',
      },
    ],
    [
      'Ed448',
      {
        keyPair: generateKeyPairSync('ed448'),
        id: '1.3.101.113',
        digest: '2.16.840.1.101.3.4.2.12',
        hash: 'shake256',
        name: 'SHAKE256',
      },
    ],
  ])('with %s is valid over signed attributes', async (family, { keyPair, id, digest, hash, name }) => {
    const signer = await pki.issue({ name: 'Eddy', keyPair });
    const stated = createHash(hash, { outputLength: 64 }).update(Buffer.concat(PARTS)).digest();
    const recipe: Partial<Recipe> = {
      signer,
      attributes: (usual) => [
        usual.contentType,
        attribute(OID.messageDigest, octetString(stated)),
        usual.signingCertificate,
      ],
      digestAlgorithm: sequence(oid(digest)),
      signatureAlgorithm: sequence(oid(id)),
      sign: (bytes) => sign(null, bytes, keyPair.privateKey),
    };
    const names = { digestAlgorithm: name, signatureAlgorithm: family };
    expect(made(recipe)).toMatchObject({ core: { ...INTACT, ...names }, faults: [] });
    expect(codesOf(made({ ...recipe, attributes: () => undefined }))).toContain('ALGORITHM_UNSUPPORTED');
  });
});

describe('a signature over the SHA-1 of the document', () => {
  const sha1 = (parts: readonly Buffer[]) => createHash('sha1').update(Buffer.concat(parts)).digest();

  test('is valid for that document only, and weak', () => {
    const cms = buildCms({ signer: ada, content: sha1(PARTS) });
    const reading = read(cms, 'sha1', false);
    expect(reading.core).toMatchObject({ ...INTACT, digestAlgorithm: 'SHA-1' });
    expect(codesOf(reading)).toEqual(['WEAK_ALGORITHM']);
    const other = readSignedCore(cms, CHANGED, 'sha1', false);
    expect(other.core).toMatchObject({ digestHolds: false, signatureHolds: true });
    expect(codesOf(other)).toEqual(['DIGEST_MISMATCH', 'WEAK_ALGORITHM']);
  });

  test('is invalid if the enclosed digest differs from the signed one', () => {
    const cms = buildCms({ signer: ada, content: sha1(CHANGED) });
    const at = cms.indexOf(sha1(CHANGED));
    sha1(PARTS).copy(cms, at);
    expect(read(cms, 'sha1', false).core?.digestHolds).toBe(false);
  });

  test('is not a CMS signature if it encloses nothing', () => {
    expect(codesOf(read(buildCms({ signer: ada }), 'sha1', false))).toEqual(['CMS_INVALID']);
  });
});
