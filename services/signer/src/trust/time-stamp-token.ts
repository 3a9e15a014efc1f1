import { createHash } from 'node:crypto';
import { contextTag, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readDer,
  readNumber,
  readOctetString,
  readOid,
  readSequence,
} from '../asn1/der-reader.ts';
import { type Certificate, hasExtendedKeyUsage, isValidAt } from './certificate.ts';
import { type Digest, readDigest } from './signature.ts';
import { findSigner, objectionToSignature, readSignedData, type SignedData } from './signed-data.ts';
import { readTime } from './time.ts';

const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const DIRECTORY_NAME = contextTag(4);

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
export function openTimestampToken(der: Buffer): TimestampToken {
  const data = readSignedData(der);
  if (data.contentType !== TST_INFO || data.content === undefined)
    throw new TimestampTokenError(`the content is ${data.contentType}, not a time-stamp`);
  const info = readInfo(data.content);
  const signer = findSigner(data);
  if (signer === undefined) throw new TimestampTokenError('the certificate of the signer is missing');
  const objection = objectionToSignature(data, signer) ?? objectionToSigner(data, signer, info.time);
  if (objection !== undefined) throw new TimestampTokenError(objection);
  return { ...info, signer, certificates: data.certificates };
}

function readInfo(content: Buffer): Omit<TimestampToken, 'signer' | 'certificates'> {
  const [version, policy, imprint, , time, ...rest] = readSequence(readDer(content));
  if (readNumber(version) !== 1) throw new DerError('a time-stamp of version 1 is due');
  const [algorithm, value] = readSequence(imprint);
  return {
    time: readTime(time),
    policy: readOid(policy),
    imprint: { digest: readDigest(algorithm), value: readOctetString(value) },
    nonce: rest.find(({ tag }) => tag === TAG.integer)?.content,
  };
}

function objectionToSigner(data: SignedData, signer: Certificate, time: Date): string | undefined {
  if (!hasExtendedKeyUsage(signer, TIME_STAMPING, true))
    return 'the certificate is not one for time-stamping alone';
  if (!isValidAt(signer, time)) return `the certificate was not valid at ${time.toISOString()}`;
  return isNamedBy(data, signer) ? undefined : 'the signed attributes name another certificate, or none';
}

/** Whether the ESS attribute, of RFC 5035 or as of old with SHA-1, is about this certificate. */
function isNamedBy({ signer: { attributes } }: SignedData, certificate: Certificate): boolean {
  const latest = attributes.get(SIGNING_CERTIFICATE_V2);
  if (latest !== undefined) {
    const fields = firstCertId(latest);
    const hasAlgorithm = fields[0]?.tag === TAG.sequence;
    const digest = hasAlgorithm ? readDigest(fields[0]) : 'sha256';
    return isCertId(hasAlgorithm ? fields.slice(1) : fields, digest, certificate);
  }
  const old = attributes.get(SIGNING_CERTIFICATE);
  return old !== undefined && isCertId(firstCertId(old), 'sha1', certificate);
}

/** ESSCertID and ESSCertIDv2, RFC 5035, 4 and 5.4: the first in the list is the signer's. */
function firstCertId(attribute: DerValue): DerValue[] {
  const [list] = readSequence(attribute);
  return readSequence(readSequence(list)[0]);
}

function isCertId(fields: DerValue[], digest: string, certificate: Certificate): boolean {
  const [hash, issuerSerial] = fields;
  if (!readOctetString(hash).equals(createHash(digest).update(certificate.der).digest())) return false;
  if (issuerSerial === undefined) return true;
  const [names, serialNumber] = readSequence(issuerSerial);
  const name = readSequence(names).find(({ tag }) => tag === DIRECTORY_NAME);
  return (
    serialNumber?.content.equals(certificate.serialNumber) === true &&
    (name === undefined || name.content.equals(certificate.issuer))
  );
}
