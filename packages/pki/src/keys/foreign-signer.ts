import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import { integer, sequence } from '../asn1/der.ts';
import { DerError, type DerValue, readDer, readInteger, readSequence } from '../asn1/der-reader.ts';
import { type CertificateList, orderChain } from './certificates.ts';
import { checkCertificates } from './check-signer.ts';
import type { RawSigner } from './raw-signer.ts';
import { coordinateOctets, holds, type SignatureScheme, signatureOctetsMax } from './signature-scheme.ts';

/** The request to the holder of a key. */
interface ForeignRequest {
  tbs: Uint8Array;
  /** Digest of `tbs`, by the hash of the scheme. */
  digest: Buffer;
  scheme: SignatureScheme;
  /** Octets of the longest signature that the key can make. */
  octetsMax: number;
}

/** A private key that is kept elsewhere: in a token, at a signing service, or with the caller. */
export interface ForeignKey {
  /**
   * Returns a signature value. For ECDSA either DER, or the two numbers side by side (IEEE P1363), as tokens and
   * browsers write it.
   */
  sign(request: ForeignRequest): Promise<Buffer>;
  /** The error for a value that does not match the key of the certificate. */
  refusal(): Error;
}

/**
 * A signer for such a key. It checks the returned value against the certificate. `schemeOf` gives the scheme of the
 * key. Throws SIGNING_KEY_INVALID.
 */
export function foreignSigner(
  [own, ...others]: CertificateList,
  schemeOf: (publicKey: KeyObject) => SignatureScheme,
  key: ForeignKey,
): RawSigner {
  const { publicKey }: X509Certificate = own;
  const certificates = orderChain(own, others);
  const scheme = schemeOf(publicKey);
  checkCertificates(certificates, scheme);
  const octetsMax = signatureOctetsMax(publicKey);
  return {
    certificates,
    ...scheme,
    async sign(tbs) {
      const digest = createHash(scheme.hash).update(tbs).digest();
      const value = await key.sign({ tbs, digest, scheme, octetsMax });
      const signature = value.length > octetsMax ? undefined : checkedValue(publicKey, scheme, tbs, value);
      if (signature === undefined) throw key.refusal();
      return signature;
    },
  };
}

/** The value in the form of `RawSigner.sign`. Undefined if it is not a valid signature of `tbs`. */
function checkedValue(
  publicKey: KeyObject,
  scheme: SignatureScheme,
  tbs: Uint8Array,
  value: Buffer,
): Buffer | undefined {
  if (holds(publicKey, scheme, tbs, value)) return value;
  if (scheme.algorithm !== 'ecdsa') return undefined;
  const octets = coordinateOctets(publicKey);
  if (value.length !== 2 * octets) return undefined;
  const der = sequence(integer(value.subarray(0, octets)), integer(value.subarray(octets)));
  return holds(publicKey, scheme, tbs, der) ? der : undefined;
}

/**
 * Converts an ECDSA signature in DER (RFC 3279, 2.2.3) to its two numbers side by side, each with this many octets.
 * Undefined for anything else.
 */
export function sideBySide(der: Buffer, octets: number): Buffer | undefined {
  try {
    const [r, s, ...others] = readSequence(readDer(der));
    return others.length > 0 ? undefined : Buffer.concat([fixed(r, octets), fixed(s, octets)]);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function fixed(value: DerValue | undefined, octets: number): Buffer {
  const content = readInteger(value);
  const unsigned = content[0] === 0 ? content.subarray(1) : content;
  if (unsigned.length > octets) throw new DerError('number too long');
  return Buffer.concat([Buffer.alloc(octets - unsigned.length), unsigned]);
}
