import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Identity } from '@scriptorium/testing/pki/identity';
import { createPki, type Pki } from '@scriptorium/testing/pki/pki';
import { bitString, integer, octetString, oid, sequence } from '../../src/asn1/der.ts';
import { readChildren, readDer } from '../../src/asn1/der-reader.ts';
import { OID } from '../../src/asn1/oids.ts';
import { readCertificate } from '../../src/x509/certificate.ts';
import { isSignatureOf, keyWeakness } from '../../src/x509/signature.ts';
import { validatePath } from '../../src/x509/validate-path.ts';
import { buildCms, codesOf, read } from '../cms/build-cms.ts';

let pki: Pki;
beforeAll(async () => {
  pki = await createPki();
});
afterAll(() => pki.close());

const onCurve = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });

function judge(signer: Identity) {
  const [leaf, ...pool] = signer.chain.map(readCertificate);
  if (leaf === undefined) throw new Error('the chain is empty');
  const anchors = [readCertificate(pki.root.der)];
  return validatePath(leaf, { pool, anchors, time: new Date(), usage: 'signing' }).faults;
}

/** A key on P-256 by its parameters, with another base point: the holder knows the private key for this one. */
function keyWithOwnBasePoint(): KeyObject {
  const { publicKey } = onCurve('P-256');
  const bits = readChildren(readDer(publicKey.export({ type: 'spki', format: 'der' })))[1];
  const point = bits?.content.subarray(1) ?? Buffer.of();
  const number = (hex: string) => Buffer.from(hex, 'hex');
  const [prime, order] = [
    'ffffffff00000001000000000000000000000000ffffffffffffffffffffffff',
    'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551',
  ].map(number) as [Buffer, Buffer];
  const b = number('5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b');
  const a = Buffer.from(prime);
  a.writeUInt8(0xfc, 31);
  const parameters = sequence(
    integer(1),
    sequence(oid('1.2.840.10045.1.1'), integer(prime)),
    sequence(octetString(a), octetString(b)),
    octetString(point),
    integer(order),
    integer(1),
  );
  const der = sequence(sequence(oid(OID.ecPublicKey), parameters), bitString(point));
  return createPublicKey({ key: der, type: 'spki', format: 'der' });
}

describe('an elliptic curve', () => {
  test.each(['secp112r1', 'secp160r1', 'prime192v1', 'sect163k1', 'brainpoolP160r1'])(
    'below 224 bits leaves a doubt about a signer and an authority: %s',
    async (curve) => {
      const weak = await pki.issue({ name: 'Weak', keyPair: onCurve(curve) });
      expect(judge(weak)).toMatchObject([
        { code: 'WEAK_ALGORITHM', message: expect.stringMatching(/EC key of \d+ bits/) },
      ]);
      expect(codesOf(read(buildCms({ signer: weak })))).toEqual(['WEAK_ALGORITHM']);
      const authority = await pki.issue({ name: 'A', issuer: pki.root, keyPair: onCurve(curve), ca: {} });
      const below = await pki.issue({ name: 'Below', issuer: authority });
      expect(judge(below).map(({ code }) => code)).toEqual(['WEAK_ALGORITHM']);
    },
  );

  test.each(['P-224', 'P-256', 'P-521', 'brainpoolP256r1', 'secp256k1', 'sect283k1'])(
    'of 224 bits and more is strong: %s',
    (curve) => expect(keyWeakness(onCurve(curve).publicKey)).toBeUndefined(),
  );

  test('given by its parameters is weak, because its base point is the choice of the holder', () => {
    expect(keyWeakness(keyWithOwnBasePoint())).toBe('an EC key on a curve without a name');
  });

  test('below 224 bits signs no revocation list, response or time-stamp', () => {
    const { privateKey, publicKey } = onCurve('prime192v1');
    const data = Buffer.from('a list');
    const algorithm = readDer(sequence(oid(OID.ecdsaWithSha256)));
    const signature = sign('sha256', data, privateKey);
    expect(() => isSignatureOf({ algorithm, signature, data }, publicKey)).toThrow(/EC key of 192 bits/);
  });
});

test('an RSA key whose exponent is 1 or even is weak, because everyone can sign for it or no one', () => {
  const modulus = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }).n;
  const weaknesses = [1, 2, 65_536, 65_537].map((exponent) => {
    const e = integer(exponent);
    const bits = sequence(integer(Buffer.from(modulus ?? '', 'base64url')), e);
    const algorithm = sequence(oid(OID.rsaEncryption), Buffer.of(5, 0));
    const der = sequence(algorithm, bitString(bits));
    return keyWeakness(createPublicKey({ key: der, type: 'spki', format: 'der' }));
  });
  const wrong = 'an RSA key with a wrong exponent';
  expect(weaknesses).toEqual([wrong, wrong, wrong, undefined]);
});

test('a certificate signed with an algorithm that is not supported leaves a doubt', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const authority = await pki.issue({
    name: 'Old',
    issuer: pki.root,
    keyPair: { privateKey, publicKey },
    ca: {},
  });
  const signer = await pki.issue({ name: 'Ada', issuer: authority });
  // RSA with RIPEMD-160.
  const algorithm = sequence(oid('1.3.36.3.3.1.2'), Buffer.of(5, 0));
  const fields = readChildren(readChildren(readDer(signer.der))[0] ?? readDer(signer.der));
  const body = sequence(...fields.map(({ bytes }, index) => (index === 2 ? algorithm : bytes)));
  const der = sequence(body, algorithm, bitString(sign('ripemd160', body, privateKey)));
  expect(judge({ ...signer, chain: [der, ...signer.chain.slice(1)] })).toMatchObject([
    { code: 'WEAK_ALGORITHM', message: expect.stringMatching(/algorithm that is not supported/) },
  ]);
});
