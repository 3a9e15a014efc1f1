import { context, integer, octetString, oid, sequence, setOf } from '../asn1/der.ts';
import { readDer } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { digestAlgorithm, signatureAlgorithm } from '../keys/algorithm-identifiers.ts';
import type { RawSigner, Timestamper } from '../keys/raw-signer.ts';
import { HASH_OCTETS, signatureOctetsMax } from '../keys/signature-scheme.ts';
import { PkiError } from '../pki-error.ts';
import { certificateOf } from '../x509/certificate.ts';
import {
  attribute,
  issuerAndSerialNumber,
  type SignedContent,
  signedAttributes,
} from './signed-attributes.ts';

/**
 * Space for a time-stamp token with the certificates of its authority. Those of public authorities take 3 to 8 KiB.
 */
const TOKEN_BYTES_MAX = 16 * 1024;
/** Identifier and length octets around a token, and the growth of the enclosing ones. */
const TOKEN_FRAME_BYTES_MAX = 64;

export interface SignedDataInput extends SignedContent {
  signer: RawSigner;
  /** Provides the signature time-stamp of level B-T (EN 319 122-1, 5.3). */
  timestamper?: Timestamper | undefined;
}

export interface SignedData {
  /** ContentInfo in DER. */
  cms: Buffer;
  signatureValue: Buffer;
  /** The time that the time-stamping authority states. */
  timestampTime?: Date;
  /** The signature time-stamp, in DER. */
  token?: Buffer;
}

/**
 * Signs a digest and returns a detached CMS SignedData (RFC 5652, 5) of baseline level B-B or B-T (EN 319 122-1, EN 319 142-1).
 * It has all certificates of the signer. Throws the errors of signer and time-stamper, and TIMESTAMP_UNAVAILABLE for an oversized
 * token. Throws RangeError if the length of the digest does not fit the signer's hash.
 */
export async function signedData({ signer, timestamper, ...content }: SignedDataInput): Promise<SignedData> {
  const attributes = signedAttributes(content, signer);
  const signatureValue = await signer.sign(attributes);
  if (timestamper === undefined)
    return { cms: contentInfo({ signer, attributes, signatureValue }), signatureValue };
  const { token, time } = await timestamper.timestamp(signatureValue);
  if (token.length > TOKEN_BYTES_MAX)
    throw new PkiError(
      'TIMESTAMP_UNAVAILABLE',
      `The time-stamp exceeds the limit of ${TOKEN_BYTES_MAX} bytes.`,
    );
  return {
    cms: contentInfo({ signer, attributes, signatureValue, token }),
    signatureValue,
    timestampTime: time,
    token,
  };
}

/**
 * Upper bound of the bytes that `signedData` returns for a signer, without a signing time. A PDF reserves this space.
 */
export function cmsSizeMax(
  signer: Pick<RawSigner, 'certificates' | 'algorithm' | 'hash'>,
  hasTimestamp: boolean,
): number {
  const attributes = signedAttributes({ digest: Buffer.alloc(HASH_OCTETS[signer.hash]) }, signer);
  const signatureValue = Buffer.alloc(signatureOctetsMax(signer.certificates[0].publicKey));
  const { length } = contentInfo({ signer, attributes, signatureValue });
  return hasTimestamp ? length + TOKEN_BYTES_MAX + TOKEN_FRAME_BYTES_MAX : length;
}

interface Signed {
  signer: Pick<RawSigner, 'certificates' | 'algorithm' | 'hash'>;
  /** The signed SET OF. */
  attributes: Buffer;
  signatureValue: Buffer;
  token?: Buffer;
}

function contentInfo(signed: Signed): Buffer {
  const { certificates, hash } = signed.signer;
  const content = sequence(
    integer(1),
    setOf(digestAlgorithm(hash)),
    sequence(oid(OID.data)),
    // CertificateSet is a SET OF, so it is sorted by encoding.
    context(0, ...certificates.map(({ raw }) => raw).toSorted(Buffer.compare)),
    setOf(signerInfo(signed)),
  );
  return sequence(oid(OID.signedData), context(0, content));
}

function signerInfo({ signer, attributes, signatureValue, token }: Signed): Buffer {
  return sequence(
    integer(1),
    issuerAndSerialNumber(certificateOf(signer.certificates[0])),
    digestAlgorithm(signer.hash),
    // Signed as a SET OF, sent as [0] IMPLICIT (RFC 5652, 5.4).
    context(0, readDer(attributes).content),
    signatureAlgorithm(signer),
    octetString(signatureValue),
    ...(token === undefined ? [] : [context(1, attribute(OID.timeStampToken, token))]),
  );
}
