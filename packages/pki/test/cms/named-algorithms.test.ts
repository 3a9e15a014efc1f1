import { createHash, generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { context, integer, nullValue, octetString, oid, sequence } from '../../src/asn1/der.ts';
import { OID } from '../../src/asn1/oids.ts';
import type { Family, Hash } from '../../src/x509/algorithms.ts';
import { attribute, buildCms, codesOf, PARTS, read } from './build-cms.ts';

const DIGESTS: Partial<Record<Hash, string>> = {
  md5: '1.2.840.113549.2.5',
  sha1: OID.sha1,
  sha224: OID.sha224,
  sha256: OID.sha256,
  sha384: OID.sha384,
  sha512: OID.sha512,
  'sha512-224': '2.16.840.1.101.3.4.2.5',
  'sha512-256': '2.16.840.1.101.3.4.2.6',
  'sha3-224': '2.16.840.1.101.3.4.2.7',
  'sha3-256': '2.16.840.1.101.3.4.2.8',
  'sha3-384': '2.16.840.1.101.3.4.2.9',
  'sha3-512': '2.16.840.1.101.3.4.2.10',
  shake256: '2.16.840.1.101.3.4.2.12',
};
const NIST = '2.16.840.1.101.3.4.3';
const PKCS1 = '1.2.840.113549.1.1';

/** A way to sign, and the AlgorithmIdentifier that names it. */
interface Way {
  family: Family;
  hash: Hash;
  identifier: Buffer;
  saltLength?: number;
  mask?: Hash;
}

const way = (family: Family, hash: Hash, id: string): Way => ({
  family,
  hash,
  identifier: sequence(oid(id)),
});

const digestOf = (hash: Hash): Buffer => sequence(oid(DIGESTS[hash] ?? ''), nullValue());

function pss(hash: Hash, saltLength: number, mask: Hash = hash): Way {
  const parameters = [
    context(0, digestOf(hash)),
    context(1, sequence(oid(OID.mgf1), digestOf(mask))),
    context(2, integer(saltLength)),
  ];
  return {
    family: 'RSA-PSS',
    hash,
    saltLength,
    mask,
    identifier: sequence(oid(OID.rsaPss), sequence(...parameters)),
  };
}

const RSA = 'RSA-PKCS1-v1_5';
const WAYS: readonly Way[] = [
  way(RSA, 'md5', `${PKCS1}.4`),
  way(RSA, 'sha1', `${PKCS1}.5`),
  way(RSA, 'sha224', `${PKCS1}.14`),
  way(RSA, 'sha256', `${PKCS1}.11`),
  way(RSA, 'sha384', `${PKCS1}.12`),
  way(RSA, 'sha512', `${PKCS1}.13`),
  way(RSA, 'sha512-224', `${PKCS1}.15`),
  way(RSA, 'sha512-256', `${PKCS1}.16`),
  way(RSA, 'sha3-224', `${NIST}.13`),
  way(RSA, 'sha3-256', `${NIST}.14`),
  way(RSA, 'sha3-384', `${NIST}.15`),
  way(RSA, 'sha3-512', `${NIST}.16`),
  pss('sha1', 20),
  pss('sha256', 32),
  pss('sha256', 20),
  pss('sha256', 32, 'sha1'),
  pss('sha512', 64),
  pss('sha3-256', 32),
  way('ECDSA', 'sha1', '1.2.840.10045.4.1'),
  way('ECDSA', 'sha224', '1.2.840.10045.4.3.1'),
  way('ECDSA', 'sha256', OID.ecdsaWithSha256),
  way('ECDSA', 'sha384', OID.ecdsaWithSha384),
  way('ECDSA', 'sha512', OID.ecdsaWithSha512),
  way('ECDSA', 'sha3-224', `${NIST}.9`),
  way('ECDSA', 'sha3-256', `${NIST}.10`),
  way('ECDSA', 'sha3-384', `${NIST}.11`),
  way('ECDSA', 'sha3-512', `${NIST}.12`),
  way('DSA', 'sha1', '1.2.840.10040.4.3'),
  way('DSA', 'sha224', `${NIST}.1`),
  way('DSA', 'sha256', `${NIST}.2`),
  way('Ed25519', 'sha512', '1.3.101.112'),
  way('Ed448', 'shake256', '1.3.101.113'),
];
const PSS_PADDING = 6;

let pki: Pki;
let holders: Record<Family, Identity>;
let bound: Identity;
beforeAll(async () => {
  pki = await createPki();
  const issue = (keyPair: KeyPairKeyObjectResult) => pki.issue({ name: 'Ada', keyPair });
  const rsa = await issue(generateKeyPairSync('rsa', { modulusLength: 2048 }));
  holders = {
    'RSA-PKCS1-v1_5': rsa,
    'RSA-PSS': rsa,
    ECDSA: await issue(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
    DSA: await issue(generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 })),
    Ed25519: await issue(generateKeyPairSync('ed25519')),
    Ed448: await issue(generateKeyPairSync('ed448')),
  };
  bound = await pki.issue({ name: 'Bound', keyType: 'rsa-pss' });
});
afterAll(() => pki.close());

function signatureIn({ family, hash, saltLength }: Way, bytes: Buffer, signer: Identity): Buffer {
  const key = signer.privateKey;
  if (family === 'Ed25519' || family === 'Ed448') return sign(null, bytes, key);
  return sign(hash, bytes, saltLength === undefined ? key : { key, padding: PSS_PADDING, saltLength });
}

/** A CMS that is signed in one way and names another. */
function signed(used: Way, named: Way, change: { signer?: Identity; digest?: Hash; digestId?: Buffer } = {}) {
  const { signer = holders[used.family], digest = used.hash } = change;
  const options = digest === 'shake256' ? { outputLength: 64 } : {};
  const stated = createHash(digest, options).update(Buffer.concat(PARTS)).digest();
  return read(
    buildCms({
      signer,
      attributes: (usual) => [
        usual.contentType,
        attribute(OID.messageDigest, octetString(stated)),
        usual.signingCertificate,
      ],
      digestAlgorithm: change.digestId ?? sequence(oid(DIGESTS[digest] ?? '')),
      signatureAlgorithm: named.identifier,
      sign: (bytes) => signatureIn(used, bytes, signer),
    }),
  );
}

const nameOf = ({ family, hash, saltLength, mask }: Way): string =>
  [family, hash, saltLength, mask].filter((part) => part !== undefined).join(' ');

describe('the algorithm that a signature names is the one that is checked', () => {
  // node:crypto does not sign with another hash in the mask.
  const signable = WAYS.filter(({ mask, hash }) => mask === undefined || mask === hash);

  test.each(signable.map((used): [string, Way] => [nameOf(used), used]))('signed with %s', (_, used) => {
    const accepted = WAYS.filter((named) => signed(used, named).core?.signatureHolds);
    expect(accepted.map(nameOf)).toEqual([nameOf(used)]);
  });

  test.each(['RSA-PKCS1-v1_5', 'ECDSA', 'DSA'] as const)('with %s named by its key and digest', (family) => {
    const key = { 'RSA-PKCS1-v1_5': OID.rsaEncryption, ECDSA: OID.ecPublicKey, DSA: '1.2.840.10040.4.1' }[
      family
    ];
    const ways = WAYS.filter((each) => each.family === family);
    for (const used of ways) {
      const named = way(family, used.hash, key);
      const accepted = ways.filter(({ hash }) => signed(used, named, { digest: hash }).core?.signatureHolds);
      expect(accepted.map(nameOf)).toEqual([nameOf(used)]);
    }
  });

  test('with a key that is bound to parameters', () => {
    const used = pss('sha256', 32);
    const accepted = WAYS.filter((named) => signed(used, named, { signer: bound }).core?.signatureHolds);
    expect(accepted.map(nameOf)).toEqual([nameOf(used)]);
  });
});

describe('EdDSA goes with the digest that RFC 8419 requires', () => {
  test.each(['Ed25519', 'Ed448'] as const)('%s', (family) => {
    const [used] = WAYS.filter((each) => each.family === family);
    if (used === undefined) throw new Error('the way is missing');
    for (const digest of Object.keys(DIGESTS) as Hash[]) {
      const reading = signed(used, used, { digest });
      expect([digest, reading.core?.signatureHolds]).toEqual([digest, digest === used.hash]);
      if (digest !== used.hash) expect(codesOf(reading)).toContain('ALGORITHM_UNSUPPORTED');
    }
  });

  test('Ed448 also with SHAKE256 that states 512 bits, and with no other length', () => {
    const [used] = WAYS.filter(({ family }) => family === 'Ed448');
    if (used === undefined) throw new Error('the way is missing');
    const withBits = (bits: number) =>
      signed(used, used, { digestId: sequence(oid('2.16.840.1.101.3.4.2.18'), integer(bits)) });
    expect(withBits(512).faults).toEqual([]);
    expect(withBits(256).core?.signatureHolds).toBe(false);
  });
});
