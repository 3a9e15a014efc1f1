import { createHash } from 'node:crypto';
import type { Fetcher } from '@scriptorium/shared/fetch/fetcher';
import { contextTag, der, nullValue, octetString, oid, sequence, TAG } from '../asn1/der.ts';
import {
  type DerValue,
  expectTag,
  readBitString,
  readChildren,
  readDer,
  readOctetString,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import {
  type Certificate,
  hasExtendedKeyUsage,
  isIssuedBy,
  isValidAt,
  readCertificate,
  readExtensions,
} from './certificate.ts';
import { type RevocationStatus, refuseOtherTime, UnusableAnswerError } from './revocation.ts';
import { isSignatureOf } from './signature.ts';
import { readTime } from './time.ts';

const ANSWER_BYTES_MAX = 128 * 1024;
const SHA1 = '1.3.14.3.2.26';
const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const CERTIFICATES_MAX = 10;
/** RFC 6960, 4.2.1: OCSPResponseStatus. */
const STATUSES = [
  'successful',
  'malformedRequest',
  'internalError',
  'tryLater',
  '',
  'sigRequired',
  'unauthorized',
];
const ENUMERATED = 0x0a;
const GOOD = contextTag(0, false);
const REVOKED = contextTag(1);

/** Whose status is asked for, and who issued it. */
export interface Question {
  certificate: Certificate;
  issuer: Certificate;
}

/** What holds in an OCSPResponse (RFC 6960). */
export type OcspAnswer = RevocationStatus & {
  der: Buffer;
  /** Whom the issuer had sign the answer; undefined where it did so itself. */
  responder: Certificate | undefined;
};

/**
 * Asks the responder at `url`. Throws UnusableAnswerError and DerError for what `checkOcspAnswer` does not take, and
 * FetchError.
 */
export async function askOcsp(
  url: string,
  question: Question,
  { fetcher, signal }: { fetcher: Fetcher; signal: AbortSignal },
): Promise<OcspAnswer> {
  const post = { body: ocspRequest(question), contentType: 'application/ocsp-request' };
  const answer = await fetcher.fetch(url, { bytesMax: ANSWER_BYTES_MAX, signal, post });
  return checkOcspAnswer(answer, question, new Date());
}

/** An OCSPRequest (RFC 6960, 4.1.1) as caches of responders like it: one certificate, SHA-1, no nonce (RFC 5019, 2.1.1). */
function ocspRequest(question: Question): Buffer {
  return sequence(sequence(sequence(sequence(certId(question)))));
}

function certId({ certificate, issuer }: Question): Buffer {
  return sequence(
    sequence(oid(SHA1), nullValue()),
    octetString(sha1(issuer.subject)),
    octetString(sha1(issuer.keyBits)),
    der(TAG.integer, certificate.serialNumber),
  );
}

const sha1 = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest();

/**
 * Takes an OCSPResponse that is about this certificate, stands at `now`, and is signed by its issuer or by whom that
 * issuer certified for it (RFC 6960, 3.2). Throws UnusableAnswerError and DerError.
 */
export function checkOcspAnswer(answer: Buffer, question: Question, now: Date): OcspAnswer {
  const [body, algorithm, signature, certificates] = readSequence(readDer(readResponse(answer)));
  const data = readResponseData(body);
  const signer = findSigner(data.responderId, certificates, question.issuer, now);
  const signed = { algorithm, signature: readBitString(signature), data: data.bytes };
  if (!isSignatureOf(signed, signer.x509.publicKey))
    throw new UnusableAnswerError('its signature is not that of the responder');
  const status = readStatus(data.responses, question, now);
  return { ...status, der: answer, responder: signer === question.issuer ? undefined : signer };
}

function readResponse(answer: Buffer): Buffer {
  const [status, bytes] = readSequence(readDer(answer));
  const code = expectTag(status, ENUMERATED).content[0] ?? 0;
  if (code !== 0) throw new UnusableAnswerError(`the responder says ${STATUSES[code] ?? ''} (${code})`);
  const [type, response] = readSequence(readOnlyChild(expectTag(bytes, contextTag(0))));
  if (readOid(type) !== BASIC_RESPONSE) throw new UnusableAnswerError('it is of an unknown type');
  return readOctetString(response);
}

/** ResponseData, RFC 6960, 4.2.1. */
function readResponseData(body: DerValue | undefined) {
  const all = readSequence(body);
  const [responderId, , responses, extensions] = all[0]?.tag === contextTag(0) ? all.slice(1) : all;
  refuseCritical(extensions);
  return {
    bytes: expectTag(body, TAG.sequence).bytes,
    responderId,
    responses: readSequence(responses),
  };
}

/** An extension that must be understood, and is not, makes an answer mean something else. */
function refuseCritical(extensions: DerValue | undefined): void {
  const read = extensions === undefined ? [] : readExtensions(readOnlyChild(extensions));
  for (const [id, { isCritical }] of read)
    if (isCritical) throw new UnusableAnswerError(`it has the critical extension ${id}`);
}

function findSigner(
  responderId: DerValue | undefined,
  certificates: DerValue | undefined,
  issuer: Certificate,
  now: Date,
): Certificate {
  const isNamed = responderTest(responderId);
  if (isNamed(issuer)) return issuer;
  const sent = certificates === undefined ? [] : readSequence(readOnlyChild(certificates));
  if (sent.length > CERTIFICATES_MAX) throw new UnusableAnswerError('it has too many certificates');
  const responder = sent.map(({ bytes }) => readCertificate(bytes)).find(isNamed);
  if (responder === undefined) throw new UnusableAnswerError('the certificate of the responder is missing');
  // RFC 6960, 4.2.2.2: certified by the very issuer, for this; not by one above it.
  if (!isIssuedBy(responder, issuer))
    throw new UnusableAnswerError('the issuer did not certify the responder');
  if (!hasExtendedKeyUsage(responder, OCSP_SIGNING))
    throw new UnusableAnswerError('the certificate of the responder is not one for OCSP');
  if (!isValidAt(responder, now))
    throw new UnusableAnswerError('the certificate of the responder is not valid');
  return responder;
}

function responderTest(responderId: DerValue | undefined): (certificate: Certificate) => boolean {
  if (responderId?.tag === contextTag(1)) {
    const name = readOnlyChild(responderId).bytes;
    return ({ subject }) => subject.equals(name);
  }
  const keyHash = readOctetString(readOnlyChild(expectTag(responderId, contextTag(2))));
  return ({ keyBits }) => sha1(keyBits).equals(keyHash);
}

function readStatus(responses: DerValue[], question: Question, now: Date): RevocationStatus {
  const answers = responses.map((response) => readSequence(response));
  const answer = answers.find(([id]) => isCertIdOf(id, question));
  if (answer === undefined) throw new UnusableAnswerError('it is about another certificate');
  const [, status, thisUpdate, ...rest] = answer;
  const nextUpdate = rest.find(({ tag }) => tag === contextTag(0));
  refuseCritical(rest.find(({ tag }) => tag === contextTag(1)));
  refuseOtherTime(readTime(thisUpdate), nextUpdate && readTime(readOnlyChild(nextUpdate)), now);
  if (status?.tag === GOOD) return { status: 'good' };
  if (status?.tag === REVOKED) return readRevocation(status);
  throw new UnusableAnswerError('the responder does not know the certificate');
}

function isCertIdOf(value: DerValue | undefined, { certificate, issuer }: Question): boolean {
  const [algorithm, nameHash, keyHash, serialNumber] = readSequence(value);
  return (
    readOid(readSequence(algorithm)[0]) === SHA1 &&
    readOctetString(nameHash).equals(sha1(issuer.subject)) &&
    readOctetString(keyHash).equals(sha1(issuer.keyBits)) &&
    expectTag(serialNumber, TAG.integer).content.equals(certificate.serialNumber)
  );
}

function readRevocation(status: DerValue): RevocationStatus {
  const [at, reason] = readChildren(status);
  const code = reason && expectTag(readOnlyChild(reason), ENUMERATED).content[0];
  return { status: 'revoked', at: readTime(at), reason: code };
}
