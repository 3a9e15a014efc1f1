import { contextTag } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readNumber,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';

/** Hash names of node:crypto, mapped to the names in the API. */
const HASH_NAMES = {
  md5: 'MD5',
  sha1: 'SHA-1',
  sha224: 'SHA-224',
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
  'sha512-224': 'SHA-512/224',
  'sha512-256': 'SHA-512/256',
  'sha3-224': 'SHA3-224',
  'sha3-256': 'SHA3-256',
  'sha3-384': 'SHA3-384',
  'sha3-512': 'SHA3-512',
  shake256: 'SHAKE256',
} as const;
export type Hash = keyof typeof HASH_NAMES;

const WEAK_HASHES: readonly Hash[] = ['md5', 'sha1'];

const HASHES: Record<string, Hash | undefined> = {
  '1.2.840.113549.2.5': 'md5',
  [OID.sha1]: 'sha1',
  [OID.sha224]: 'sha224',
  [OID.sha256]: 'sha256',
  [OID.sha384]: 'sha384',
  [OID.sha512]: 'sha512',
  '2.16.840.1.101.3.4.2.5': 'sha512-224',
  '2.16.840.1.101.3.4.2.6': 'sha512-256',
  '2.16.840.1.101.3.4.2.7': 'sha3-224',
  '2.16.840.1.101.3.4.2.8': 'sha3-256',
  '2.16.840.1.101.3.4.2.9': 'sha3-384',
  '2.16.840.1.101.3.4.2.10': 'sha3-512',
  '2.16.840.1.101.3.4.2.12': 'shake256',
};

/** id-shake256-len (RFC 8419, 2.3) states the output; id-shake256 has 512 bits by definition (RFC 8702, 3.1). */
const SHAKE256_LEN = '2.16.840.1.101.3.4.2.18';
const SHAKE256_BITS = 512;

export type Family = 'RSA-PKCS1-v1_5' | 'RSA-PSS' | 'ECDSA' | 'DSA' | 'Ed25519' | 'Ed448';

/** How a signature is made. */
export interface Scheme {
  family: Family;
  /** Undefined if the family includes its own hash. */
  hash: Hash | undefined;
  /** Only for RSA-PSS. */
  pss?: PssParameters;
  /** Whether an ECDSA value is two numbers of fixed length, and not DER. */
  isPlain?: true;
}

interface PssParameters {
  /** The hash in the mask function, which may differ. */
  mask: Hash;
  /** Octets. */
  saltLength: number;
  /** The AlgorithmIdentifier. */
  identifier: Buffer;
}

/** RFC 3279, RFC 4055, RFC 5754, RFC 5758, RFC 8410, and the NIST registers. `given`: the hash is specified apart. */
const SCHEMES: Record<string, [Family, Hash | 'given' | 'own'] | undefined> = {
  [OID.rsaEncryption]: ['RSA-PKCS1-v1_5', 'given'],
  '1.2.840.113549.1.1.4': ['RSA-PKCS1-v1_5', 'md5'],
  '1.2.840.113549.1.1.5': ['RSA-PKCS1-v1_5', 'sha1'],
  '1.3.14.3.2.29': ['RSA-PKCS1-v1_5', 'sha1'],
  '1.2.840.113549.1.1.14': ['RSA-PKCS1-v1_5', 'sha224'],
  [OID.sha256WithRsa]: ['RSA-PKCS1-v1_5', 'sha256'],
  [OID.sha384WithRsa]: ['RSA-PKCS1-v1_5', 'sha384'],
  [OID.sha512WithRsa]: ['RSA-PKCS1-v1_5', 'sha512'],
  '1.2.840.113549.1.1.15': ['RSA-PKCS1-v1_5', 'sha512-224'],
  '1.2.840.113549.1.1.16': ['RSA-PKCS1-v1_5', 'sha512-256'],
  '2.16.840.1.101.3.4.3.13': ['RSA-PKCS1-v1_5', 'sha3-224'],
  '2.16.840.1.101.3.4.3.14': ['RSA-PKCS1-v1_5', 'sha3-256'],
  '2.16.840.1.101.3.4.3.15': ['RSA-PKCS1-v1_5', 'sha3-384'],
  '2.16.840.1.101.3.4.3.16': ['RSA-PKCS1-v1_5', 'sha3-512'],
  [OID.ecPublicKey]: ['ECDSA', 'given'],
  '1.2.840.10045.4.1': ['ECDSA', 'sha1'],
  '1.2.840.10045.4.3.1': ['ECDSA', 'sha224'],
  [OID.ecdsaWithSha256]: ['ECDSA', 'sha256'],
  [OID.ecdsaWithSha384]: ['ECDSA', 'sha384'],
  [OID.ecdsaWithSha512]: ['ECDSA', 'sha512'],
  '2.16.840.1.101.3.4.3.9': ['ECDSA', 'sha3-224'],
  '2.16.840.1.101.3.4.3.10': ['ECDSA', 'sha3-256'],
  '2.16.840.1.101.3.4.3.11': ['ECDSA', 'sha3-384'],
  '2.16.840.1.101.3.4.3.12': ['ECDSA', 'sha3-512'],
  '1.2.840.10040.4.1': ['DSA', 'given'],
  '1.2.840.10040.4.3': ['DSA', 'sha1'],
  '2.16.840.1.101.3.4.3.1': ['DSA', 'sha224'],
  '2.16.840.1.101.3.4.3.2': ['DSA', 'sha256'],
  '1.3.101.112': ['Ed25519', 'own'],
  '1.3.101.113': ['Ed448', 'own'],
};
/** ecdsa-plain (BSI TR-03111, 5.2.1), by the last arc. */
const PLAIN_ECDSA = '0.4.0.127.0.7.1.1.4.1.';
const PLAIN_HASHES: Record<string, Hash | undefined> = {
  1: 'sha1',
  2: 'sha224',
  3: 'sha256',
  4: 'sha384',
  5: 'sha512',
  8: 'sha3-224',
  9: 'sha3-256',
  10: 'sha3-384',
  11: 'sha3-512',
};
/** RFC 4055, 3.1. */
const PSS_DEFAULTS = { hash: 'sha1', saltLength: 20, trailerField: 1 } as const;

/** The algorithm is not supported. */
export class UnsupportedAlgorithmError extends DerError {}

/**
 * The name of a hash in the API.
 *
 * @example
 * hashName('sha256') // 'SHA-256'
 */
export const hashName = (hash: Hash): string => HASH_NAMES[hash];

/** Whether collisions of the hash are feasible, or soon will be. */
export const isWeakHash = (hash: Hash): boolean => WEAK_HASHES.includes(hash);

/** The object identifier of an AlgorithmIdentifier. Throws DerError. */
export const algorithmId = (algorithm: DerValue | undefined): string => readOid(readSequence(algorithm)[0]);

/**
 * The hash of an AlgorithmIdentifier, including weak ones. Throws DerError, and UnsupportedAlgorithmError for an
 * unknown one.
 */
export function readHash(algorithm: DerValue | undefined): Hash {
  const [name, parameters] = readSequence(algorithm);
  const id = readOid(name);
  const hash = id === SHAKE256_LEN && readNumber(parameters) === SHAKE256_BITS ? 'shake256' : HASHES[id];
  if (hash === undefined) throw new UnsupportedAlgorithmError(`digest ${id} is not supported`);
  return hash;
}

/**
 * The scheme of an AlgorithmIdentifier, including weak ones. CMS may name a key type instead of an algorithm, and the
 * hash apart. Throws DerError, and UnsupportedAlgorithmError for an unknown one.
 */
export function readScheme(algorithm: DerValue | undefined, given: Hash | undefined): Scheme {
  const identifier = expectTag(algorithm, 0x30);
  const [name, parameters] = readSequence(identifier);
  const id = readOid(name);
  if (id === OID.rsaPss) return readPss(identifier.bytes, parameters);
  const plain = id.startsWith(PLAIN_ECDSA) ? PLAIN_HASHES[id.slice(PLAIN_ECDSA.length)] : undefined;
  if (plain !== undefined) return { family: 'ECDSA', hash: plain, isPlain: true };
  const [family, hash] = SCHEMES[id] ?? [];
  if (family === undefined || hash === undefined || (hash === 'given' && given === undefined))
    throw new UnsupportedAlgorithmError(`signature algorithm ${id} is not supported`);
  return { family, hash: hash === 'given' ? given : hash === 'own' ? undefined : hash };
}

/** RSASSA-PSS-params, RFC 4055, 3.1. */
function readPss(identifier: Buffer, parameters: DerValue | undefined): Scheme {
  const fields = parameters === undefined ? [] : readSequence(parameters);
  const field = (number: number): DerValue | undefined => {
    const wrapped = fields.find(({ tag }) => tag === contextTag(number));
    return wrapped && readOnlyChild(wrapped);
  };
  const [hash, mask, salt, trailer] = [field(0), field(1), field(2), field(3)];
  if (trailer !== undefined && readNumber(trailer) !== PSS_DEFAULTS.trailerField)
    throw new UnsupportedAlgorithmError('RSA-PSS with another trailer is not supported');
  return {
    family: 'RSA-PSS',
    hash: hash === undefined ? PSS_DEFAULTS.hash : readHash(hash),
    pss: {
      mask: mask === undefined ? PSS_DEFAULTS.hash : readMask(mask),
      saltLength: salt === undefined ? PSS_DEFAULTS.saltLength : readNumber(salt),
      identifier,
    },
  };
}

function readMask(algorithm: DerValue): Hash {
  const [id, hash] = readSequence(algorithm);
  if (readOid(id) !== OID.mgf1)
    throw new UnsupportedAlgorithmError('RSA-PSS with another mask function is not supported');
  return readHash(hash);
}

/** Returns the result of `read`, or undefined if it meets an unsupported algorithm. */
export function whereSupported<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedAlgorithmError) return undefined;
    throw error;
  }
}
