import { createHash } from 'node:crypto';
import { readOctetString, readOid } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { findSigner } from '../cms/find-signer.ts';
import { onlyValue, readSignedData, type SignedData } from '../cms/read-signed-data.ts';
import { namesSigner } from '../cms/signing-certificate.ts';
import { type Certificate, hasExtendedKeyUsage, isValidAt } from '../x509/certificate.ts';
import { type Digest, isSignatureOf, readDigest } from '../x509/signature.ts';
import { readTstInfo } from './tst-info.ts';

/** What a TimeStampToken says (RFC 3161, 2.4.2). */
export interface TimestampToken {
  time: Date;
  /** Object identifier. */
  policy: string;
  /** What was stamped. */
  imprint: { digest: Digest; value: Buffer };
  /** Octets of the INTEGER, as they are. */
  nonce: Buffer | undefined;
  signer: Certificate;
  /** All that came with it, the signer's among them. */
  certificates: Certificate[];
}

/** Why a token does not hold. For the log. */
export class TimestampTokenError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TimestampTokenError';
  }
}

/**
 * Reads a token and checks what it shows by itself: the signature by a certificate in it that is for time-stamping alone, was
 * valid then, and is the one that the signed attributes name (RFC 3161, 2.3 and 2.4.2; RFC 5816). Whether its issuer is to be
 * trusted is another matter. Throws TimestampTokenError and DerError.
 */
export function openTimestampToken(bytes: Buffer): TimestampToken {
  const data = readSignedData(bytes);
  if (data.contentType !== OID.tstInfo || data.content === undefined)
    throw new TimestampTokenError(`the content is ${data.contentType}, not a time-stamp`);
  const { imprint, ...info } = readTstInfo(data.content);
  const digest = readDigest(imprint.algorithm);
  const signer = findSigner(data);
  if (signer === undefined) throw new TimestampTokenError('the certificate of the signer is missing');
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

/** Says why the signature over the content does not hold; undefined where it does. Throws DerError. */
function objectionToSignature(
  { signer, contentType }: SignedData,
  content: Buffer,
  certificate: Certificate,
): string | undefined {
  const { signed, signature, signatureAlgorithm: algorithm } = signer;
  if (signed === undefined) return 'nothing says what was signed';
  const digest = readDigest(signer.digestAlgorithm);
  const stated = readOctetString(onlyValue(signed.attributes, OID.messageDigest));
  if (!stated.equals(createHash(digest).update(content).digest()))
    return 'the content is not what was signed';
  if (readOid(onlyValue(signed.attributes, OID.contentType)) !== contentType)
    return 'the type of the content is not what was signed';
  const key = certificate.x509.publicKey;
  const holds = signed.encodings.some((data) => isSignatureOf({ algorithm, signature, data }, key, digest));
  return holds ? undefined : 'the signature is not that of the certificate';
}

function objectionToSigner(data: SignedData, signer: Certificate, time: Date): string | undefined {
  if (!hasExtendedKeyUsage(signer, OID.timeStamping, true))
    return 'the certificate is not one for time-stamping alone';
  if (!isValidAt(signer, time)) return `the certificate was not valid at ${time.toISOString()}`;
  return namesSigner(data.signer.signed?.attributes, signer) === 'yes'
    ? undefined
    : 'the signed attributes name another certificate, or none';
}
