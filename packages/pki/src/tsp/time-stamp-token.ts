import { createHash } from 'node:crypto';
import { readOctetString, readOid } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { protectsAlgorithms } from '../cms/algorithm-protection.ts';
import { findSigner } from '../cms/find-signer.ts';
import { onlyValue, readSignedData, type SignedData } from '../cms/read-signed-data.ts';
import { namesSigner } from '../cms/signing-certificate.ts';
import { type Certificate, hasExtendedKeyUsage, isValidAt } from '../x509/certificate.ts';
import { type ArchivedDigest, isArchivedSignatureOf, readArchivedDigest } from '../x509/signature.ts';
import { readTstInfo } from './tst-info.ts';

/** The content of a TimeStampToken (RFC 3161, 2.4.2). */
export interface TimestampToken {
  time: Date;
  /** Object identifier. */
  policy: string;
  /** The time-stamped digest. */
  imprint: { digest: ArchivedDigest; value: Buffer };
  /** Octets of the INTEGER, as encoded. */
  nonce: Buffer | undefined;
  signer: Certificate;
  /** All certificates in the token, including the signer's. */
  certificates: Certificate[];
  /** Whether its imprint or its signature relies on SHA-1. */
  hasSha1: boolean;
}

/** Why a token is invalid. For the log. */
export class TimestampTokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimestampTokenError';
  }
}

/**
 * Reads a token and checks it without trust (RFC 3161, 2.3 and 2.4.2; RFC 5816). Its certificate must be for time-stamping alone,
 * and be valid at that time. It must match the signature, and be named by the signed attributes. Does not check whether the
 * issuer is trusted. Throws TimestampTokenError and DerError.
 */
export function openTimestampToken(bytes: Buffer): TimestampToken {
  const token = openArchivedToken(bytes);
  if (token.hasSha1) throw new TimestampTokenError('it relies on SHA-1, which is not supported');
  return token;
}

/** The same, and tokens that rely on SHA-1, which anyone may have forged since. */
export function openArchivedToken(bytes: Buffer): TimestampToken {
  const data = readSignedData(bytes);
  if (data.contentType !== OID.tstInfo || data.content === undefined)
    throw new TimestampTokenError(`the content is ${data.contentType}, not a time-stamp`);
  const { imprint, ...info } = readTstInfo(data.content);
  const digest = readArchivedDigest(imprint.algorithm);
  const signer = findSigner(data);
  if (signer === undefined) throw new TimestampTokenError('the signer certificate is missing');
  const { hasSha1 } = checkSignature(data, data.content, signer);
  const objection = objectionToSigner(data, signer, info.time);
  if (objection !== undefined) throw new TimestampTokenError(objection);
  return {
    ...info,
    imprint: { digest, value: imprint.value },
    signer,
    certificates: data.certificates,
    hasSha1: hasSha1 || digest === 'sha1',
  };
}

/** Checks the signature over the content. Throws TimestampTokenError if it is invalid, and DerError. */
function checkSignature(
  { signer, contentType }: SignedData,
  content: Buffer,
  certificate: Certificate,
): { hasSha1: boolean } {
  const { signed, signature, signatureAlgorithm: algorithm } = signer;
  if (signed === undefined) throw new TimestampTokenError('there are no signed attributes');
  const digest = readArchivedDigest(signer.digestAlgorithm);
  const stated = readOctetString(onlyValue(signed.attributes, OID.messageDigest));
  if (!stated.equals(createHash(digest).update(content).digest()))
    throw new TimestampTokenError('the content does not match the signed digest');
  if (readOid(onlyValue(signed.attributes, OID.contentType)) !== contentType)
    throw new TimestampTokenError('the content type is not the signed one');
  if (!protectsAlgorithms(signer))
    throw new TimestampTokenError('the signed attributes name other algorithms');
  const key = certificate.x509.publicKey;
  const checked = signed.encodings
    .map((data) => isArchivedSignatureOf({ algorithm, signature, data }, key, digest))
    .find(({ holds }) => holds);
  if (checked === undefined) throw new TimestampTokenError('the signature is not that of the certificate');
  return { hasSha1: checked.hasSha1 || digest === 'sha1' };
}

function objectionToSigner(data: SignedData, signer: Certificate, time: Date): string | undefined {
  if (!hasExtendedKeyUsage(signer, OID.timeStamping, true))
    return 'the certificate is not restricted to time-stamping';
  if (!isValidAt(signer, time)) return `the certificate was not valid at ${time.toISOString()}`;
  return namesSigner(data.signer.signed?.attributes, signer) === 'yes'
    ? undefined
    : 'the signed attributes do not name the certificate';
}
