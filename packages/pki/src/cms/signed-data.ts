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

/** Room for a time-stamp token with the certificates of its authority; those of public authorities take 3 to 8 KiB. */
const TOKEN_BYTES_MAX = 16 * 1024;
/** Identifier and length octets around a token, and what those outside of it grow by. */
const TOKEN_FRAME_BYTES_MAX = 64;

export interface SignedDataInput extends SignedContent {
  signer: RawSigner;
  /** Gives the signature time-stamp of level B-T (EN 319 122-1, 5.3). */
  timestamper?: Timestamper | undefined;
}

export interface SignedData {
  /** ContentInfo in DER. */
  cms: Buffer;
  signatureValue: Buffer;
  /** As the time-stamping authority says. */
  timestampTime?: Date;
  /** The signature time-stamp, in DER. */
  token?: Buffer;
}

/**
 * Signs a digest: a detached CMS SignedData (RFC 5652, 5) of baseline level B-B or B-T (EN 319 122-1, EN 319 142-1), with all
 * certificates of the signer. Throws what signer and time-stamper throw, TIMESTAMP_UNAVAILABLE for too large a token,
 * and RangeError for a digest of another length than the signer's hash has.
 */
export async function signedData({ signer, timestamper, ...content }: SignedDataInput): Promise<SignedData> {
  const attributes = signedAttributes(content, signer);
  const signatureValue = await signer.sign(attributes);
  if (timestamper === undefined)
    return { cms: contentInfo({ signer, attributes, signatureValue }), signatureValue };
  const { token, time } = await timestamper.timestamp(signatureValue);
  if (token.length > TOKEN_BYTES_MAX)
    throw new PkiError('TIMESTAMP_UNAVAILABLE', `The time-stamp is larger than ${TOKEN_BYTES_MAX} bytes.`);
  return {
    cms: contentInfo({ signer, attributes, signatureValue, token }),
    signatureValue,
    timestampTime: time,
    token,
  };
}

/** Bytes that `signedData` gives at most for a signer, without a signing time: the room to leave in a PDF. */
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
  /** The SET OF that is signed. */
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
    // CertificateSet: a SET OF too, so in the order of its encodings.
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
