import { generateKeyPair, type KeyObject, type KeyPairKeyObjectResult, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { explicit, identifier, integer, nothing, sequence } from './der.ts';

export type KeyType =
  | 'rsa-1024'
  | 'rsa-2048'
  | 'rsa-3072'
  | 'rsa-4096'
  | 'rsa-pss'
  | 'p-256'
  | 'p-384'
  | 'p-521'
  | 'ed25519';
export type Hash = 'sha1' | 'sha256' | 'sha384' | 'sha512';

const HASHES: Record<Hash, { oid: string; bytes: number; rsa: string; ecdsa: string }> = {
  sha1: { oid: '1.3.14.3.2.26', bytes: 20, rsa: '1.2.840.113549.1.1.5', ecdsa: '1.2.840.10045.4.1' },
  sha256: {
    oid: '2.16.840.1.101.3.4.2.1',
    bytes: 32,
    rsa: '1.2.840.113549.1.1.11',
    ecdsa: '1.2.840.10045.4.3.2',
  },
  sha384: {
    oid: '2.16.840.1.101.3.4.2.2',
    bytes: 48,
    rsa: '1.2.840.113549.1.1.12',
    ecdsa: '1.2.840.10045.4.3.3',
  },
  sha512: {
    oid: '2.16.840.1.101.3.4.2.3',
    bytes: 64,
    rsa: '1.2.840.113549.1.1.13',
    ecdsa: '1.2.840.10045.4.3.4',
  },
};

const generateRsa = promisify(generateKeyPair) as unknown as (
  type: string,
  options: object,
) => Promise<KeyPairKeyObjectResult>;

const CURVES: Partial<Record<KeyType, string>> = { 'p-256': 'P-256', 'p-384': 'P-384', 'p-521': 'P-521' };

/** A new key. `rsa-pss` allows only PSS with SHA-256 (RFC 4055 §1.2). */
export function generateKey(type: KeyType): Promise<KeyPairKeyObjectResult> {
  const namedCurve = CURVES[type];
  if (namedCurve !== undefined) return generateRsa('ec', { namedCurve });
  if (type === 'ed25519') return generateRsa('ed25519', {});
  if (type === 'rsa-pss')
    return generateRsa('rsa-pss', {
      modulusLength: 2048,
      hashAlgorithm: 'sha256',
      mgf1HashAlgorithm: 'sha256',
      saltLength: 32,
    });
  return generateRsa('rsa', { modulusLength: Number(type.slice('rsa-'.length)) });
}

/** AlgorithmIdentifier of a digest. */
export const digestAlgorithm = (hash: Hash): Buffer => sequence(identifier(HASHES[hash].oid));

/** The hash that matches a key's strength. */
export function usualHash(key: KeyObject): Hash {
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return curve === 'secp384r1' ? 'sha384' : curve === 'secp521r1' ? 'sha512' : 'sha256';
}

/** AlgorithmIdentifier of the signatures that `signWith` makes. */
export function signatureAlgorithm(key: KeyObject, hash: Hash): Buffer {
  const { rsa, ecdsa, bytes } = HASHES[hash];
  switch (key.asymmetricKeyType) {
    case 'ec':
      return sequence(identifier(ecdsa));
    case 'ed25519':
      return sequence(identifier('1.3.101.112'));
    case 'rsa-pss': {
      const digest = sequence(identifier(HASHES[hash].oid), nothing());
      const mask = sequence(identifier('1.2.840.113549.1.1.8'), digest);
      return sequence(
        identifier('1.2.840.113549.1.1.10'),
        sequence(explicit(0, digest), explicit(1, mask), explicit(2, integer(bytes))),
      );
    }
    default:
      return sequence(identifier(rsa), nothing());
  }
}

/** Signs according to the key's type: PKCS #1 v1.5, PSS, ECDSA in DER, or EdDSA. */
export const signWith = (key: KeyObject, hash: Hash, bytes: Buffer): Buffer =>
  sign(key.asymmetricKeyType === 'ed25519' ? null : hash, bytes, key);
