import { constants, createPublicKey, createVerify, type KeyObject, verify } from 'node:crypto';
import { sequence } from '../asn1/der.ts';
import { DerError, type DerValue, readBitString, readDer, readSequence } from '../asn1/der-reader.ts';
import { type Family, type Hash, hashName, readHash, readScheme, type Scheme } from './algorithms.ts';

/** Hashes accepted from authorities. */
export type Digest = 'sha256' | 'sha384' | 'sha512';
/** The same, with SHA-1 of old archives. */
export type ArchivedDigest = Digest | 'sha1';

const DIGESTS: readonly (Hash | undefined)[] = ['sha256', 'sha384', 'sha512'] satisfies Digest[];
const RSA_BITS_MIN = 2048;
/** Half of them are the strength of a curve; 112 bits are as strong as RSA_BITS_MIN (NIST SP 800-57-1, table 2). */
const CURVE_BITS_MIN = 224;
/** The first octet of an uncompressed point (SEC 1, 2.3.3); others have one coordinate. */
const UNCOMPRESSED = 4;
const KEY_TYPES: Record<Family, readonly string[]> = {
  'RSA-PKCS1-v1_5': ['rsa'],
  'RSA-PSS': ['rsa', 'rsa-pss'],
  ECDSA: ['ec'],
  DSA: ['dsa'],
  Ed25519: ['ed25519'],
  Ed448: ['ed448'],
};

/** The digest of an AlgorithmIdentifier. Throws DerError for others than SHA-256, SHA-384 and SHA-512. */
function readDigest(algorithm: DerValue | undefined): Digest {
  const hash = readHash(algorithm);
  if (!isDigest(hash)) throw new DerError(`${hashName(hash)} is not supported`);
  return hash;
}

/** The same, and SHA-1. */
export function readArchivedDigest(algorithm: DerValue | undefined): ArchivedDigest {
  return readHash(algorithm) === 'sha1' ? 'sha1' : readDigest(algorithm);
}

const isDigest = (hash: Hash): hash is Digest => DIGESTS.includes(hash);

/**
 * Whether `signature` over `data` is valid for `key` and an AlgorithmIdentifier: RSA PKCS #1 v1.5, RSA-PSS,
 * ECDSA or EdDSA. Hashes weaker than SHA-256 and weak keys are refused. CMS may name a key type instead
 * of an algorithm, and the `digest` apart. Throws DerError.
 */
export function isSignatureOf(
  { algorithm, signature, data }: { algorithm: DerValue | undefined; signature: Buffer; data: Buffer },
  key: KeyObject,
  digest?: Digest,
): boolean {
  const scheme = readScheme(algorithm, digest);
  refuseWeak(scheme);
  return isSignedByStrongKey({ signature, data }, key, scheme);
}

/** The same, also with SHA-1; `hasSha1` says so. */
export function isArchivedSignatureOf(
  { algorithm, signature, data }: { algorithm: DerValue | undefined; signature: Buffer; data: Buffer },
  key: KeyObject,
  digest?: ArchivedDigest,
): { holds: boolean; hasSha1: boolean } {
  const scheme = readScheme(algorithm, digest);
  refuseWeak(scheme, ['sha1']);
  const hasSha1 = scheme.hash === 'sha1' || scheme.pss?.mask === 'sha1';
  return { holds: isSignedByStrongKey({ signature, data }, key, scheme), hasSha1 };
}

function isSignedByStrongKey(
  { signature, data }: { signature: Buffer; data: Buffer },
  key: KeyObject,
  scheme: Scheme,
): boolean {
  if (!isKeyFor(scheme, key)) return false;
  const weakness = keyWeakness(key);
  if (weakness !== undefined) throw new DerError(`${weakness} is not supported`);
  return isSignedBy(key, scheme, [data], signature);
}

/** Throws DerError for DSA and for hashes that authorities must not use, but for those `permitted`. */
export function refuseWeak({ family, hash, pss }: Scheme, permitted: readonly Hash[] = []): void {
  if (family === 'DSA') throw new DerError('DSA is not supported');
  for (const each of [hash, pss?.mask])
    if (each !== undefined && !isDigest(each) && !permitted.includes(each))
      throw new DerError(`${family} with ${hashName(each)} is not supported`);
}

/**
 * What makes a key weak, such as `an RSA key of 1024 bits`; undefined for a strong one. A curve without a name is given
 * by its parameters, which the holder of a key can choose (RFC 5480, 2.1.1 forbids it).
 */
export function keyWeakness(key: KeyObject): string | undefined {
  const { modulusLength, namedCurve, publicExponent = 3n } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined && key.asymmetricKeyType?.startsWith('rsa')) {
    // With the exponent 1 everyone can sign; an even one has no private key (RFC 8017, 3.1).
    if (publicExponent < 3n || publicExponent % 2n === 0n) return 'an RSA key with a wrong exponent';
    return modulusLength < RSA_BITS_MIN ? `an RSA key of ${modulusLength} bits` : undefined;
  }
  if (key.asymmetricKeyType !== 'ec') return undefined;
  if (namedCurve === undefined) return 'an EC key on a curve without a name';
  const bits = curveBits(key);
  return bits < CURVE_BITS_MIN ? `an EC key of ${bits} bits` : undefined;
}

/** The bits of one coordinate, rounded up to octets. */
function curveBits(key: KeyObject): number {
  const point = readBitString(readSequence(readDer(key.export({ type: 'spki', format: 'der' })))[1]);
  const octets = point.length - 1;
  return (point[0] === UNCOMPRESSED ? octets / 2 : octets) * 8;
}

const isKeyFor = ({ family }: Scheme, { asymmetricKeyType }: KeyObject): boolean =>
  KEY_TYPES[family].includes(asymmetricKeyType ?? '');

/**
 * Whether `signature` over these parts, in order, is valid for `key`, including weak algorithms. DSA values are DER, and
 * those of ECDSA are as the scheme says.
 */
export function isSignedBy(
  key: KeyObject,
  scheme: Scheme,
  parts: readonly Buffer[],
  signature: Buffer,
): boolean {
  if (!isKeyFor(scheme, key) || !permits(key, scheme)) return false;
  try {
    if (scheme.hash === undefined) return verify(null, Buffer.concat(parts), key, signature);
    const sum = createVerify(scheme.hash);
    for (const part of parts) sum.update(part);
    return sum.verify(verifyingKey(key, scheme), signature);
  } catch {
    // For example an RSA-PSS key that is bound to another hash.
    return false;
  }
}

function verifyingKey(
  key: KeyObject,
  { hash, pss, isPlain }: Scheme,
): Parameters<ReturnType<typeof createVerify>['verify']>[0] {
  if (pss === undefined) return { key, dsaEncoding: isPlain ? 'ieee-p1363' : 'der' };
  return {
    key: pss.mask === hash ? key : boundKey(key, pss.identifier),
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: pss.saltLength,
  };
}

/** Whether a key that is bound to parameters permits these (RFC 4055, 3.3). The salt must not be shorter. */
function permits({ asymmetricKeyDetails: bound = {} }: KeyObject, { hash, pss }: Scheme): boolean {
  if (pss === undefined || bound.hashAlgorithm === undefined) return true;
  return (
    hash === bound.hashAlgorithm &&
    pss.mask === bound.mgf1HashAlgorithm &&
    pss.saltLength >= (bound.saltLength ?? 0)
  );
}

/** node:crypto only supports a different mask hash through a key that is bound to it (RFC 4055, 1.2). */
function boundKey(key: KeyObject, identifier: Buffer): KeyObject {
  const bits = readSequence(readDer(key.export({ type: 'spki', format: 'der' })))[1]?.bytes ?? Buffer.of();
  return createPublicKey({ key: sequence(identifier, bits), type: 'spki', format: 'der' });
}
