import { createHash, type X509Certificate } from 'node:crypto';
import { context, der, octetString, oid, sequence, setOf, TAG, time } from '../asn1/der.ts';
import { OID } from '../asn1/oids.ts';
import { digestAlgorithm } from '../keys/algorithm-identifiers.ts';
import type { HashAlgorithm, RawSigner } from '../keys/raw-signer.ts';
import { HASH_OCTETS } from '../keys/signature-scheme.ts';
import { type Certificate, certificateOf } from '../x509/certificate.ts';

export interface SignedContent {
  /** Digest of the content, by the signer's hash. */
  digest: Uint8Array;
  /** A claim of the signer. Absent in a PDF, where the signature dictionary holds it (EN 319 142-1, 6.3). */
  signingTime?: Date | undefined;
}

/**
 * The signed attributes of a CAdES or PAdES signature (EN 319 122-1, 5; RFC 5652, 5.3). Returns the DER SET OF that
 * is hashed and signed (RFC 5652, 5.4). Throws RangeError if the length of the digest does not fit the hash.
 */
export function signedAttributes(
  { digest, signingTime }: SignedContent,
  { certificates: [own], hash }: Pick<RawSigner, 'certificates' | 'hash'>,
): Buffer {
  if (digest.length !== HASH_OCTETS[hash]) throw new RangeError(`not a ${hash} digest`);
  return setOf(
    attribute(OID.contentType, oid(OID.data)),
    attribute(OID.messageDigest, octetString(digest)),
    attribute(OID.signingCertificateV2, signingCertificate(own, hash)),
    ...(signingTime === undefined ? [] : [attribute(OID.signingTime, time(signingTime))]),
  );
}

/** An Attribute with one value (RFC 5652, 5.3). */
export function attribute(type: string, value: Buffer): Buffer {
  return sequence(oid(type), der(TAG.set, value));
}

/** SigningCertificateV2 (RFC 5035, 3): identifies the certificate by hash, issuer and serial number. */
function signingCertificate(certificate: X509Certificate, hash: HashAlgorithm): Buffer {
  const { issuer, serialNumber } = certificateOf(certificate);
  const certHash = octetString(createHash(hash).update(certificate.raw).digest());
  const directoryName = context(4, issuer);
  const issuerSerial = sequence(sequence(directoryName), der(TAG.integer, serialNumber));
  // SHA-256 is the default, which DER omits.
  const algorithm = hash === 'sha256' ? [] : [digestAlgorithm(hash)];
  return sequence(sequence(sequence(...algorithm, certHash, issuerSerial)));
}

/** IssuerAndSerialNumber (RFC 5652, 10.2.4). */
export function issuerAndSerialNumber({ issuer, serialNumber }: Certificate): Buffer {
  return sequence(issuer, der(TAG.integer, serialNumber));
}
