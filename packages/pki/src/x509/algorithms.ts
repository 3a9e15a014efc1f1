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

/** Hashes by the names that node:crypto has for them: how the API calls them. */
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

export type Family = 'RSA-PKCS1-v1_5' | 'RSA-PSS' | 'ECDSA' | 'DSA' | 'Ed25519' | 'Ed448';

/** How a signature is made. */
export interface Scheme {
  family: Family;
  /** Undefined where the family hashes by itself. */
  hash: Hash | undefined;
  /** Of RSA-PSS alone. */
  pss?: PssParameters;
}

export interface PssParameters {
  /** The hash within the mask, which may be another one. */
  mask: Hash;
  /** Octets. */
  saltLength: number;
  /** The AlgorithmIdentifier. */
  identifier: Buffer;
}

/** RFC 3279, RFC 4055, RFC 5754, RFC 5758, RFC 8410, and the registers of NIST. `given`: the hash is said apart. */
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
/** RFC 4055, 3.1. */
const PSS_DEFAULTS = { hash: 'sha1', saltLength: 20, trailerField: 1 } as const;

/** An algorithm that is not known here. */
export class UnsupportedAlgorithmError extends DerError {}

/** How the API calls a hash. */
export const hashName = (hash: Hash): string => HASH_NAMES[hash];

/** Whether others can find a second document with the same hash, or will soon. */
export const isWeakHash = (hash: Hash): boolean => WEAK_HASHES.includes(hash);

/** The object identifier of an AlgorithmIdentifier. Throws DerError. */
export const algorithmId = (algorithm: DerValue | undefined): string => readOid(readSequence(algorithm)[0]);

/** The hash of an AlgorithmIdentifier, weak ones too. Throws DerError, for one that is not known UnsupportedAlgorithmError. */
export function readHash(algorithm: DerValue | undefined): Hash {
  const id = algorithmId(algorithm);
  const hash = HASHES[id];
  if (hash === undefined) throw new UnsupportedAlgorithmError(`digest ${id} is not taken`);
  return hash;
}

/**
 * How a signature of this AlgorithmIdentifier is made, weak ones too. CMS may name a key instead of an algorithm, and
 * the hash apart. Throws DerError, for one that is not known UnsupportedAlgorithmError.
 */
export function readScheme(algorithm: DerValue | undefined, given: Hash | undefined): Scheme {
  const identifier = expectTag(algorithm, 0x30);
  const [name, parameters] = readSequence(identifier);
  const id = readOid(name);
  if (id === OID.rsaPss) return readPss(identifier.bytes, parameters);
  const [family, hash] = SCHEMES[id] ?? [];
  if (family === undefined || hash === undefined || (hash === 'given' && given === undefined))
    throw new UnsupportedAlgorithmError(`signature algorithm ${id} is not taken`);
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
    throw new UnsupportedAlgorithmError('RSA-PSS with another trailer is not taken');
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
  if (readOid(id) !== OID.mgf1) throw new UnsupportedAlgorithmError('RSA-PSS with another mask is not taken');
  return readHash(hash);
}

/** What is read; undefined where it is an algorithm that is not known here. */
export function whereSupported<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnsupportedAlgorithmError) return undefined;
    throw error;
  }
}
