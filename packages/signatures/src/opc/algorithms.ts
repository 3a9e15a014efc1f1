import { constants, createHash, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import { type HashAlgorithm, type SignatureAlgorithm, sideBySide } from '@scriptorium/pki/keys';
import { SignatureError } from '../signature-error.ts';

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';
const DSIG = 'http://www.w3.org/2000/09/xmldsig#';
const ENC = 'http://www.w3.org/2001/04/xmlenc#';

/** The URI of each digest in XML signatures (RFC 9231 §2.1). */
export const DIGEST_URIS: Readonly<Record<HashAlgorithm, string>> = {
  sha256: `${ENC}sha256`,
  sha384: `${MORE}sha384`,
  sha512: `${ENC}sha512`,
};

/** Digests that a reader can compute; the first three are never used for signing. */
export type DigestAlgorithm = 'md5' | 'sha1' | 'sha224' | HashAlgorithm;

/** Hashes by URI (RFC 9231 §2.1). Includes weak ones, because old signatures may use them. */
export const DIGESTS: ReadonlyMap<string, DigestAlgorithm> = new Map([
  [`${MORE}md5`, 'md5'],
  [`${DSIG}sha1`, 'sha1'],
  [`${MORE}sha224`, 'sha224'],
  [DIGEST_URIS.sha256, 'sha256'],
  [DIGEST_URIS.sha384, 'sha384'],
  [DIGEST_URIS.sha512, 'sha512'],
]);

export interface SignatureMethod {
  algorithm: SignatureAlgorithm;
  hash: DigestAlgorithm;
}

/** The URI of a signature method in XML signatures (RFC 9231 §2.3). */
export function signatureUri(algorithm: SignatureAlgorithm, hash: HashAlgorithm): string {
  if (algorithm === 'rsa-pss') return `${MORE_2007}${hash}-rsa-MGF1`;
  return `${MORE}${algorithm}-${hash}`;
}

const HASHES = ['sha256', 'sha384', 'sha512'] as const;
const ALGORITHMS = ['rsa', 'rsa-pss', 'ecdsa'] as const;

/** Signature methods by URI. */
export const SIGNATURE_METHODS: ReadonlyMap<string, SignatureMethod> = new Map([
  ...ALGORITHMS.flatMap((algorithm) =>
    HASHES.map((hash): [string, SignatureMethod] => [signatureUri(algorithm, hash), { algorithm, hash }]),
  ),
  [`${DSIG}rsa-sha1`, { algorithm: 'rsa', hash: 'sha1' }],
  [`${MORE_2007}sha1-rsa-MGF1`, { algorithm: 'rsa-pss', hash: 'sha1' }],
  [`${MORE}ecdsa-sha1`, { algorithm: 'ecdsa', hash: 'sha1' }],
  [`${MORE}rsa-md5`, { algorithm: 'rsa', hash: 'md5' }],
  [`${MORE}rsa-sha224`, { algorithm: 'rsa', hash: 'sha224' }],
  [`${MORE}ecdsa-sha224`, { algorithm: 'ecdsa', hash: 'sha224' }],
]);

export function digest(hash: DigestAlgorithm, data: Uint8Array | string): Buffer {
  return createHash(hash).update(data).digest();
}

/** Bytes of one coordinate, by OpenSSL curve name. */
const CURVE_BYTES: Readonly<Record<string, number>> = {
  prime256v1: 32,
  secp384r1: 48,
  secp521r1: 66,
  brainpoolP256r1: 32,
  brainpoolP384r1: 48,
  brainpoolP512r1: 64,
};

/**
 * Converts a signature value of a `RawSigner` to the form of XML signatures (RFC 9231 §2.3.6). Throws SignatureError
 * SIGNING_KEY_INVALID.
 */
export function toXmlValue(value: Buffer, algorithm: SignatureAlgorithm, publicKey: KeyObject): Buffer {
  if (algorithm !== 'ecdsa') return value;
  const curve = publicKey.asymmetricKeyDetails?.namedCurve ?? '';
  const bytes = Object.hasOwn(CURVE_BYTES, curve) ? CURVE_BYTES[curve] : undefined;
  if (bytes === undefined)
    throw new SignatureError('SIGNING_KEY_INVALID', 'The curve of the certificate’s key is not supported.');
  const joined = sideBySide(value, bytes);
  if (joined !== undefined) return joined;
  throw new SignatureError(
    'SIGNING_KEY_INVALID',
    'The signature is not a DER-encoded ECDSA signature for the certificate’s curve.',
  );
}

const KEY_TYPES: Readonly<Record<SignatureAlgorithm, readonly string[]>> = {
  rsa: ['rsa'],
  'rsa-pss': ['rsa', 'rsa-pss'],
  ecdsa: ['ec'],
};

function verifyBy(
  key: KeyObject,
  value: Buffer,
  data: Uint8Array,
  { algorithm, hash }: SignatureMethod,
): boolean {
  if (!KEY_TYPES[algorithm].includes(key.asymmetricKeyType ?? '')) return false;
  if (algorithm === 'rsa') return verify(hash, data, key, value);
  if (algorithm === 'ecdsa') return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, value);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return verify(hash, data, { key, padding, saltLength: digest(hash, '').length }, value);
}

/** Checks a signature value in the form of XML signatures against the data and a certificate's key. */
export function isSignatureOf(
  value: Buffer,
  data: Uint8Array,
  method: SignatureMethod,
  certificate: X509Certificate,
): boolean {
  try {
    return verifyBy(certificate.publicKey, value, data, method);
  } catch {
    // A key that OpenSSL cannot read or use cannot have signed anything.
    return false;
  }
}
