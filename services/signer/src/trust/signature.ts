import { constants, type KeyObject, verify } from 'node:crypto';
import { contextTag } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readNumber,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';

export type Digest = 'sha256' | 'sha384' | 'sha512';

const DIGESTS: Record<string, Digest | undefined> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const RSA: Record<string, Digest | undefined> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
};
const ECDSA: Record<string, Digest | undefined> = {
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
};
const RSA_ENCRYPTION = '1.2.840.113549.1.1.1';
const RSA_PSS = '1.2.840.113549.1.1.10';
const MGF1 = '1.2.840.113549.1.1.8';
const RSA_BITS_MIN = 2048;
const ED25519 = '1.3.101.112';

interface Scheme {
  keyTypes: string[];
  /** Undefined where the scheme hashes by itself. */
  digest: Digest | undefined;
  /** Octets of the salt; for RSA-PSS. */
  saltLength?: number;
}

/** The digest of an AlgorithmIdentifier. Throws DerError for others than SHA-256, SHA-384 and SHA-512. */
export function readDigest(algorithm: DerValue | undefined): Digest {
  const id = readOid(readSequence(algorithm)[0]);
  const digest = DIGESTS[id];
  if (digest === undefined) throw new DerError(`digest ${id} is not taken`);
  return digest;
}

/**
 * Whether `signature` is that of `data` by `key` and an AlgorithmIdentifier: RSA PKCS #1 v1.5, RSA-PSS, ECDSA in DER, Ed25519,
 * with no hash weaker than SHA-256 and no RSA key of less than 2,048 bits. CMS may name a key instead of an algorithm, and the `digest` apart. Throws DerError.
 */
export function isSignatureOf(
  { algorithm, signature, data }: { algorithm: DerValue | undefined; signature: Buffer; data: Buffer },
  key: KeyObject,
  digest?: Digest,
): boolean {
  const scheme = readScheme(algorithm, digest);
  if (!scheme.keyTypes.includes(key.asymmetricKeyType ?? '')) return false;
  refuseShort(key);
  const { saltLength } = scheme;
  const padding = saltLength === undefined ? {} : { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  try {
    return verify(scheme.digest ?? null, data, { key, dsaEncoding: 'der', ...padding }, signature);
  } catch {
    // Such as an RSA-PSS key that is bound to another hash.
    return false;
  }
}

function refuseShort({ asymmetricKeyDetails }: KeyObject): void {
  const bits = asymmetricKeyDetails?.modulusLength ?? RSA_BITS_MIN;
  if (bits < RSA_BITS_MIN) throw new DerError(`an RSA key of ${bits} bits is not taken`);
}

function readScheme(algorithm: DerValue | undefined, digest: Digest | undefined): Scheme {
  const [identifier, parameters] = readSequence(algorithm);
  const id = readOid(identifier);
  const rsa = id === RSA_ENCRYPTION ? digest : RSA[id];
  if (rsa !== undefined) return { keyTypes: ['rsa'], digest: rsa };
  if (ECDSA[id] !== undefined) return { keyTypes: ['ec'], digest: ECDSA[id] };
  if (id === RSA_PSS) return { keyTypes: ['rsa', 'rsa-pss'], ...readPss(parameters) };
  if (id === ED25519) return { keyTypes: ['ed25519'], digest: undefined };
  throw new DerError(`signature algorithm ${id} is not taken`);
}

/** RSASSA-PSS-params (RFC 4055, 3.1); its defaults are of SHA-1, so hash and mask must be there. */
function readPss(parameters: DerValue | undefined): { digest: Digest; saltLength: number } {
  const fields = readSequence(parameters);
  const field = (number: number) => fields.find(({ tag }) => tag === contextTag(number));
  const [hash, mask, salt] = [field(0), field(1), field(2)];
  if (hash === undefined || mask === undefined) throw new DerError('RSA-PSS with SHA-1 is not taken');
  const digest = readDigest(readOnlyChild(hash));
  const [maskId, maskHash] = readSequence(readOnlyChild(mask));
  if (readOid(maskId) !== MGF1 || readDigest(maskHash) !== digest)
    throw new DerError('RSA-PSS with two hashes is not taken');
  return { digest, saltLength: salt === undefined ? 20 : readNumber(readOnlyChild(salt)) };
}
