import { createHash } from 'node:crypto';
import { readOctetString, readOid } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { protectsAlgorithms } from '../cms/algorithm-protection.ts';
import { findSigner } from '../cms/find-signer.ts';
import { onlyValue, readSignedData, type SignedData } from '../cms/read-signed-data.ts';
import { namesSigner } from '../cms/signing-certificate.ts';
import { type Certificate, hasExtendedKeyUsage, isValidAt } from '../x509/certificate.ts';
import { type Digest, isSignatureOf, readDigest } from '../x509/signature.ts';
import { readTstInfo } from './tst-info.ts';

/** The content of a TimeStampToken (RFC 3161, 2.4.2). */
export interface TimestampToken {
  time: Date;
  /** Object identifier. */
  policy: string;
  /** The time-stamped digest. */
  imprint: { digest: Digest; value: Buffer };
  /** Octets of the INTEGER, as encoded. */
  nonce: Buffer | undefined;
  signer: Certificate;
  /** All certificates in the token, including the signer's. */
  certificates: Certificate[];
}

/** Why a token is invalid. For the log. */
export class TimestampTokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimestampTokenError';
  }
}

/**
 * Reads a token and checks it without trust: its certificate must be for time-stamping alone, be valid at that time,
 * match the signature, and be named by the signed attributes (RFC 3161, 2.3 and 2.4.2; RFC 5816). Does not check
 * whether the issuer is trusted. Throws TimestampTokenError and DerError.
 */
export function openTimestampToken(bytes: Buffer): TimestampToken {
  const data = readSignedData(bytes);
  if (data.contentType !== OID.tstInfo || data.content === undefined)
    throw new TimestampTokenError(`the content is ${data.contentType}, not a time-stamp`);
  const { imprint, ...info } = readTstInfo(data.content);
  const digest = readDigest(imprint.algorithm);
  const signer = findSigner(data);
  if (signer === undefined) throw new TimestampTokenError('the signer certificate is missing');
  const objection =
    objectionToSignature(data, data.content, signer) ?? objectionToSigner(data, signer, info.time);
  if (objection !== undefined) throw new TimestampTokenError(objection);
  return {
    ...info,
    imprint: { digest, value: imprint.value },
    signer,
    certificates: data.certificates,
  };
}

/** Why the signature over the content is invalid; undefined if it is valid. Throws DerError. */
function objectionToSignature(
  { signer, contentType }: SignedData,
  content: Buffer,
  certificate: Certificate,
): string | undefined {
  const { signed, signature, signatureAlgorithm: algorithm } = signer;
  if (signed === undefined) return 'there are no signed attributes';
  const digest = readDigest(signer.digestAlgorithm);
  const stated = readOctetString(onlyValue(signed.attributes, OID.messageDigest));
  if (!stated.equals(createHash(digest).update(content).digest()))
    return 'the content does not match the signed digest';
  if (readOid(onlyValue(signed.attributes, OID.contentType)) !== contentType)
    return 'the content type is not the signed one';
  if (!protectsAlgorithms(signer)) return 'the signed attributes name other algorithms';
  const key = certificate.x509.publicKey;
  const holds = signed.encodings.some((data) => isSignatureOf({ algorithm, signature, data }, key, digest));
  return holds ? undefined : 'the signature is not that of the certificate';
}

function objectionToSigner(data: SignedData, signer: Certificate, time: Date): string | undefined {
  if (!hasExtendedKeyUsage(signer, OID.timeStamping, true))
    return 'the certificate is not restricted to time-stamping';
  if (!isValidAt(signer, time)) return `the certificate was not valid at ${time.toISOString()}`;
  return namesSigner(data.signer.signed?.attributes, signer) === 'yes'
    ? undefined
    : 'the signed attributes do not name the certificate';
}
