import { createHash, type KeyObject, type X509Certificate } from 'node:crypto';
import { integer, sequence } from '../asn1/der.ts';
import { DerError, type DerValue, readDer, readInteger, readSequence } from '../asn1/der-reader.ts';
import { type CertificateList, orderChain } from './certificates.ts';
import { checkCertificates } from './check-signer.ts';
import type { RawSigner } from './raw-signer.ts';
import { coordinateOctets, holds, type SignatureScheme, signatureOctetsMax } from './signature-scheme.ts';

/** What the holder of a key is asked for. */
export interface ForeignRequest {
  tbs: Uint8Array;
  /** Of `tbs`, by the hash of the scheme. */
  digest: Buffer;
  scheme: SignatureScheme;
  /** Octets of the longest signature that the key makes. */
  octetsMax: number;
}

/** A private key that is kept elsewhere: in a token, at a signing service, with the caller. */
export interface ForeignKey {
  /** A signature value; of ECDSA in DER, or as the two numbers side by side (IEEE P1363), as tokens and browsers write it. */
  sign(request: ForeignRequest): Promise<Buffer>;
  /** The error for a value that is not that of the certificate's key. */
  refusal(): Error;
}

/**
 * A signer over such a key. What the holder answers is checked against the certificate before it is used. `schemeOf` says
 * how the key signs. Throws SIGNING_KEY_INVALID.
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

/** The value as `RawSigner.sign` gives it; undefined where it is not one of `tbs`. */
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
 * An ECDSA signature in DER (RFC 3279, 2.2.3) as its two numbers side by side, each of so many octets; undefined for what
 * is not one of such numbers.
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
  if (unsigned.length > octets) throw new DerError('a number that is too long');
  return Buffer.concat([Buffer.alloc(octets - unsigned.length), unsigned]);
}
