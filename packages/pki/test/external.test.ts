import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type KeyKind, Openssl, TestAuthority } from '@scriptorium/testing/openssl-authority';
import { refusalOf } from '@scriptorium/testing/refusal';
import { signedAttributes } from '../src/cms/signed-attributes.ts';
import {
  describeToBeSigned,
  type ExternalKey,
  externalSigner,
  type ToBeSigned,
} from '../src/keys/external.ts';
import { signsDocuments } from './judge.ts';

const openssl = new Openssl();
const authority = new TestAuthority(openssl);
beforeAll(() => {
  for (const kind of ['rsa', 'boundPss', 'p256', 'p384'] satisfies KeyKind[]) authority.issue(kind, { kind });
});
afterAll(() => openssl.remove());

function keyOf(name: string, change: Partial<ExternalKey> = {}): ExternalKey {
  const certificates = [`${name}.crt`, 'root.crt', 'ca.crt'].map((file) =>
    new X509Certificate(authority.text(file)).raw.toString('base64'),
  );
  return { certificates, algorithm: 'ecdsa', hash: 'sha256', ...change };
}

/** Returns the answer of the first call. */
function pendingOf(key: ExternalKey, digest: Buffer): ToBeSigned {
  const signer = externalSigner(key);
  return describeToBeSigned(signedAttributes({ digest }, signer), signer);
}

/** Signs as the holder of the key does, with a separate tool. */
function signOutside(name: string, base64: string, hash: string, options: string[] = []): Buffer {
  openssl.write('outside.bin', Buffer.from(base64, 'base64'));
  return openssl.run('dgst', `-${hash}`, '-sign', `${name}.key`, ...options, 'outside.bin');
}

const PSS = ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:digest'];

test.each<[string, Pick<ExternalKey, 'algorithm' | 'hash'>, string[], string, string]>([
  ['rsa', { algorithm: 'rsa', hash: 'sha256' }, [], 'SHA-256', 'RSA-PKCS1-v1_5'],
  ['rsa', { algorithm: 'rsa', hash: 'sha512' }, [], 'SHA-512', 'RSA-PKCS1-v1_5'],
  ['rsa', { algorithm: 'rsa-pss', hash: 'sha384' }, PSS, 'SHA-384', 'RSA-PSS'],
  ['boundPss', { algorithm: 'rsa-pss', hash: 'sha384' }, PSS, 'SHA-384', 'RSA-PSS'],
  ['p256', { algorithm: 'ecdsa', hash: 'sha256' }, [], 'SHA-256', 'ECDSA'],
  ['p384', { algorithm: 'ecdsa', hash: 'sha256' }, [], 'SHA-256', 'ECDSA'],
])('an external key signs in two steps: %s, %j', async (name, scheme, options, hashName, signatureName) => {
  const content = Buffer.from('A contract of one line.\n');
  const digest = createHash(scheme.hash).update(content).digest();
  const toBeSigned = pendingOf(keyOf(name, scheme), digest);
  expect(toBeSigned).toMatchObject({ hashAlgorithm: hashName, signatureAlgorithm: signatureName });
  expect(toBeSigned.digest).toBe(
    createHash(scheme.hash).update(Buffer.from(toBeSigned.base64, 'base64')).digest('hex'),
  );
  const signature = signOutside(name, toBeSigned.base64, scheme.hash, options).toString('base64');
  const signer = externalSigner(keyOf(name, { ...scheme, signature }));
  expect(signer.certificates).toHaveLength(3);
  expect(await signsDocuments(signer, openssl)).toBe(true);
});

describe('an invalid signature value', () => {
  const tbs = Buffer.from('to be signed');
  const base64 = tbs.toString('base64');
  const wrong =
    'SIGNING_KEY_INVALID: The signature value is invalid: it does not match the bytes to be signed under the key of the certificate.';

  test.each<[string, () => Buffer]>([
    ['of other bytes', () => signOutside('p256', Buffer.from('other').toString('base64'), 'sha256')],
    ['by another hash', () => signOutside('p256', base64, 'sha384')],
    ['by another key', () => signOutside('p384', base64, 'sha256')],
    ['of noise', () => Buffer.from('noise')],
    ['of 64 octets of noise', () => Buffer.alloc(64, 7)],
    ['of nothing', () => Buffer.alloc(0)],
    ['of a megabyte', () => Buffer.alloc(1_000_000)],
  ])('%s is rejected', async (_, value) => {
    const signer = externalSigner(keyOf('p256', { signature: value().toString('base64') }));
    expect(await refusalOf(() => signer.sign(tbs))).toBe(wrong);
  });
});

test('the first step rejects options that do not fit the key of the certificate', async () => {
  expect(await refusalOf(() => externalSigner(keyOf('p256', { algorithm: 'rsa' })))).toBe(
    'SIGNING_KEY_INVALID: The key of the certificate does not support `rsa`.',
  );
  expect(await refusalOf(() => externalSigner(keyOf('rsa')))).toBe(
    'SIGNING_KEY_INVALID: The key of the certificate does not support `ecdsa`.',
  );
  expect(await refusalOf(() => externalSigner(keyOf('boundPss', { algorithm: 'rsa-pss' })))).toBe(
    'SIGNING_KEY_INVALID: The key of the certificate supports sha384 only.',
  );
  expect(await refusalOf(() => externalSigner(keyOf('p256', { certificates: ['bm9pc2U='] })))).toBe(
    'SIGNING_KEY_INVALID: Certificate 1 of the key cannot be read.',
  );
});
