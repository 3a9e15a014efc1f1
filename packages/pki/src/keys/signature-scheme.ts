import { constants, type KeyObject, type SigningOptions, verify } from 'node:crypto';
import { otherKind, signingKeyInvalid } from '../pki-error.ts';
import type { HashAlgorithm, SignatureAlgorithm } from './raw-signer.ts';

const RSA_BITS_MIN = 2_048;
/** A larger key takes a worker tenths of a second per signature. */
const RSA_BITS_MAX = 8_192;

/** The supported curves: the hash for each, and the octets of one coordinate. */
const CURVES: Record<string, { hash: HashAlgorithm; octets: number } | undefined> = {
  prime256v1: { hash: 'sha256', octets: 32 },
  secp384r1: { hash: 'sha384', octets: 48 },
  secp521r1: { hash: 'sha512', octets: 66 },
};
export const HASH_OCTETS: Record<HashAlgorithm, number> = { sha256: 32, sha384: 48, sha512: 64 };

export type RsaPadding = 'pkcs1' | 'pss';
export interface SignatureScheme {
  algorithm: SignatureAlgorithm;
  hash: HashAlgorithm;
}

/**
 * The scheme of a key: SHA-256 with RSA and P-256, SHA-384 with P-384, SHA-512 with P-521. An id-RSASSA-PSS key uses
 * the hash that it is bound to. Throws SIGNING_KEY_INVALID for a weak key or another type.
 */
export function signatureScheme(publicKey: KeyObject, padding: RsaPadding = 'pkcs1'): SignatureScheme {
  switch (publicKey.asymmetricKeyType) {
    case 'rsa':
      checkRsaSize(publicKey);
      return { algorithm: padding === 'pss' ? 'rsa-pss' : 'rsa', hash: 'sha256' };
    case 'rsa-pss':
      checkRsaSize(publicKey);
      return { algorithm: 'rsa-pss', hash: pssHash(publicKey) };
    case 'ec':
      return { algorithm: 'ecdsa', hash: curveOf(publicKey).hash };
    default:
      throw otherKind();
  }
}

/** Throws SIGNING_KEY_INVALID if a key cannot be used with the scheme that its holder names. */
export function checkScheme(publicKey: KeyObject, { algorithm, hash }: SignatureScheme): void {
  const own = signatureScheme(publicKey, algorithm === 'rsa-pss' ? 'pss' : 'pkcs1');
  if (own.algorithm !== algorithm)
    throw signingKeyInvalid(`The key of the certificate does not support \`${algorithm}\`.`);
  if (publicKey.asymmetricKeyType === 'rsa-pss' && isBound(publicKey) && own.hash !== hash)
    throw signingKeyInvalid(`The key of the certificate supports ${own.hash} only.`);
}

/** Octets of the longest signature that a key can make; for ECDSA in DER. */
export function signatureOctetsMax(publicKey: KeyObject): number {
  const { modulusLength } = publicKey.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined) return Math.ceil(modulusLength / 8);
  // SEQUENCE of two INTEGERs, each with an octet for the sign; lengths of up to 255 take two octets.
  return 2 * (curveOf(publicKey).octets + 3) + 3;
}

/** Octets of one of the two numbers of an ECDSA signature. Throws SIGNING_KEY_INVALID for other keys. */
export function coordinateOctets(publicKey: KeyObject): number {
  return curveOf(publicKey).octets;
}

/** The options of node:crypto for this scheme. */
export function signingOptions({ algorithm }: SignatureScheme): SigningOptions {
  if (algorithm !== 'rsa-pss') return { dsaEncoding: 'der' };
  return {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
}

/** Whether `signature` is valid for `tbs`; for ECDSA it is DER. */
export function holds(
  publicKey: KeyObject,
  scheme: SignatureScheme,
  tbs: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify(scheme.hash, tbs, { key: publicKey, ...signingOptions(scheme) }, signature);
}

function checkRsaSize(publicKey: KeyObject): void {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < RSA_BITS_MIN)
    throw signingKeyInvalid(
      `The RSA key is too weak: it has ${bits} bits, and the minimum is ${RSA_BITS_MIN}.`,
    );
  if (bits > RSA_BITS_MAX)
    throw signingKeyInvalid(
      `The RSA key is too large: it has ${bits} bits, and the limit is ${RSA_BITS_MAX}.`,
    );
}

function curveOf(publicKey: KeyObject): { hash: HashAlgorithm; octets: number } {
  const curve = CURVES[publicKey.asymmetricKeyDetails?.namedCurve ?? ''];
  if (curve !== undefined) return curve;
  throw signingKeyInvalid('The curve of the key is not supported; use P-256, P-384 or P-521.');
}

/** Whether an id-RSASSA-PSS key has parameters (RFC 4055, 3.1). */
function isBound(publicKey: KeyObject): boolean {
  return publicKey.asymmetricKeyDetails?.hashAlgorithm !== undefined;
}

function pssHash(publicKey: KeyObject): HashAlgorithm {
  if (!isBound(publicKey)) return 'sha256';
  const { hashAlgorithm = '', mgf1HashAlgorithm, saltLength = 0 } = publicKey.asymmetricKeyDetails ?? {};
  if (!isHash(hashAlgorithm))
    throw signingKeyInvalid(
      `The RSA-PSS key is bound to ${hashAlgorithm}, which is not supported; use sha256, sha384 or sha512.`,
    );
  if (mgf1HashAlgorithm !== hashAlgorithm)
    throw signingKeyInvalid(
      'The RSA-PSS key is bound to two different hash algorithms, which is not supported.',
    );
  if (saltLength > HASH_OCTETS[hashAlgorithm])
    throw signingKeyInvalid('The RSA-PSS key is bound to a salt that is longer than its hash.');
  return hashAlgorithm;
}

function isHash(name: string): name is HashAlgorithm {
  return Object.hasOwn(HASH_OCTETS, name);
}

const DIGESTS: Record<HashAlgorithm, string> = { sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };
/** The signature algorithms as reports name them. */
export const SIGNATURE_NAMES: Readonly<Record<SignatureAlgorithm, string>> = {
  rsa: 'RSA-PKCS1-v1_5',
  'rsa-pss': 'RSA-PSS',
  ecdsa: 'ECDSA',
};

/** The names of hash and algorithm as reports give them. */
export function algorithmNames({ algorithm, hash }: SignatureScheme): {
  digestAlgorithm: string;
  signatureAlgorithm: string;
} {
  return { digestAlgorithm: DIGESTS[hash], signatureAlgorithm: SIGNATURE_NAMES[algorithm] };
}
