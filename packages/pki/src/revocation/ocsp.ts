import { createHash } from 'node:crypto';
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
import type { Fetcher } from '../fetcher.ts';
import { readScheme } from '../x509/algorithms.ts';
import {
  type Certificate,
  type Extension,
  hasExtendedKeyUsage,
  isIssuedBy,
  isValidAt,
  readCertificate,
  readExtensions,
  readKeyUsage,
} from '../x509/certificate.ts';
import { isSameName } from '../x509/same-name.ts';
import { isSignatureOf, refuseWeak } from '../x509/signature.ts';
import { readTime } from '../x509/time.ts';
import {
  type DatedStatus,
  INVALIDITY_DATE,
  type RevocationStatus,
  refuseOtherTime,
  UnusableAnswerError,
} from './revocation.ts';

const ANSWER_BYTES_MAX = 128 * 1024;
const SHA1 = '1.3.14.3.2.26';
/** Hashes by which responses name certificates. Hashes other than SHA-1 occur in responses embedded in documents. */
const NAMING: Record<string, string | undefined> = {
  [SHA1]: 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const ARCHIVE_CUTOFF = '1.3.6.1.5.5.7.48.1.6';
const BASIC_RESPONSE = '1.3.6.1.5.5.7.48.1.1';
const NO_CHECK = '1.3.6.1.5.5.7.48.1.5';
/** digitalSignature or nonRepudiation (RFC 5280, 4.2.1.3). */
const SIGNS = 0x80 | 0x40;
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';
const CERTIFICATES_MAX = 10;
/** Certificates that one response covers; our requests name one. */
const RESPONSES_MAX = 50;
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

/** Whether the issuer exempts a responder from revocation checks (RFC 6960, 4.2.2.2.1). */
export const needsNoCheck = ({ extensions }: Certificate): boolean => extensions.has(NO_CHECK);

/** The certificate whose status is requested, and its issuer. */
export interface Question {
  certificate: Certificate;
  issuer: Certificate;
  /** The end of their path, where the path of a separate CRL key must end too. Undefined: such keys are not used. */
  anchor?: Certificate | undefined;
}

/** The status that an OCSPResponse (RFC 6960) gives. */
export type OcspAnswer = DatedStatus & {
  der: Buffer;
  /** The delegated responder that signed the response; undefined if the issuer signed it. */
  responder: Certificate | undefined;
};

/**
 * Queries the responder at `url`. Throws the errors of `checkOcspAnswer`, UnusableAnswerError and DerError, and
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

/** An OCSPRequest (RFC 6960, 4.1.1) that caches can serve: one certificate, SHA-1, no nonce (RFC 5019, 2.1.1). */
function ocspRequest(question: Question): Buffer {
  return sequence(sequence(sequence(sequence(certId(question)))));
}

function certId({ certificate, issuer }: Question): Buffer {
  return sequence(
    sequence(oid(SHA1), nullValue()),
    octetString(sha1(certificate.issuer)),
    octetString(sha1(issuer.keyBits)),
    der(TAG.integer, certificate.serialNumber),
  );
}

const sha1 = (bytes: Buffer): Buffer => createHash('sha1').update(bytes).digest();

/** A parsed OCSPResponse. Its origin is not checked yet. */
export interface OcspResponse {
  der: Buffer;
  responderId: DerValue | undefined;
  producedAt: Date;
  /** The included certificates, among which the responder is searched. */
  certificates: DerValue | undefined;
  /** SingleResponses, each by its fields. */
  responses: DerValue[][];
  /** Whether it covers this certificate, or may do so. Throws DerError. */
  mentions(question: Question): boolean;
  signed: { algorithm: DerValue | undefined; signature: Buffer; data: Buffer };
}

/**
 * Accepts an OCSPResponse that covers this certificate, is current at `now`, and is signed by the issuer or its
 * delegated responder (RFC 6960, 3.2). Throws UnusableAnswerError and DerError.
 */
export function checkOcspAnswer(der: Buffer, question: Question, now: Date): OcspAnswer {
  const answer = readAnswer(readOcspAnswer(der), question);
  refuseOtherTime(answer, now);
  refuseRetired(answer, now);
  return answer;
}

/** Like `checkOcspAnswer`, for a response of any age. Throws UnusableAnswerError and DerError. */
export function openOcspAnswer(response: OcspResponse, question: Question): OcspAnswer {
  const answer = readAnswer(response, question);
  refuseRetired(answer, response.producedAt);
  return answer;
}

function readAnswer(response: OcspResponse, question: Question): OcspAnswer {
  const fields = response.responses.find(([id]) => isCertIdOf(id, question) === true);
  if (fields === undefined) throw new UnusableAnswerError('it is for another certificate');
  const signer = findSigner(response, question.issuer);
  const responder = signer === question.issuer ? undefined : signer;
  return { ...readStatus(fields), der: response.der, responder };
}

function refuseRetired({ responder }: OcspAnswer, time: Date): void {
  if (responder !== undefined && !isValidAt(responder, time))
    throw new UnusableAnswerError('the certificate of the responder is not valid');
}

/** Reads a successful OCSPResponse. Throws UnusableAnswerError and DerError. */
export function readOcspAnswer(der: Buffer): OcspResponse {
  const [body, algorithm, signature, certificates] = readSequence(readDer(readResponse(der)));
  const data = readResponseData(body);
  const signed = { algorithm, signature: readBitString(signature), data: data.bytes };
  const { responderId, producedAt, responses } = data;
  return { der, responderId, producedAt, certificates, responses, signed, mentions: serialTest(responses) };
}

/** The serial numbers are read once: each signature of a document looks for its certificates in all responses. */
function serialTest(responses: readonly DerValue[][]): OcspResponse['mentions'] {
  let known: ReadonlySet<string> | undefined;
  return (question) => {
    known ??= new Set(responses.map(([id]) => readSequence(id)[3]?.content.toString('hex') ?? ''));
    const isListed = known.has(question.certificate.serialNumber.toString('hex'));
    return isListed && responses.some(([id]) => isCertIdOf(id, question) !== false);
  };
}

function readResponse(answer: Buffer): Buffer {
  const [status, bytes] = readSequence(readDer(answer));
  const code = expectTag(status, ENUMERATED).content[0] ?? 0;
  if (code !== 0) throw new UnusableAnswerError(`the responder says ${STATUSES[code] ?? ''} (${code})`);
  const [type, response] = readSequence(readOnlyChild(expectTag(bytes, contextTag(0))));
  if (readOid(type) !== BASIC_RESPONSE) throw new UnusableAnswerError('its type is unknown');
  return readOctetString(response);
}

/** ResponseData, RFC 6960, 4.2.1. */
function readResponseData(body: DerValue | undefined) {
  const all = readSequence(body);
  const [responderId, producedAt, responses, extensions] = all[0]?.tag === contextTag(0) ? all.slice(1) : all;
  readUncritical(extensions);
  const singles = readSequence(responses);
  if (singles.length > RESPONSES_MAX) throw new UnusableAnswerError('it covers too many certificates');
  return {
    bytes: expectTag(body, TAG.sequence).bytes,
    responderId,
    producedAt: readTime(producedAt),
    responses: singles.map((single) => readSequence(single)),
  };
}

/** An unknown critical extension may change the meaning of a response, so it is refused. */
function readUncritical(extensions: DerValue | undefined): ReadonlyMap<string, Extension> {
  const read = readExtensions(extensions && readOnlyChild(extensions));
  for (const [id, { isCritical }] of read)
    if (isCritical) throw new UnusableAnswerError(`it has the critical extension ${id}`);
  return read;
}

/** The certificate of the key that signed a response: the issuer's, or that of a responder. Several may have its name. */
function findSigner({ responderId, certificates, signed }: OcspResponse, issuer: Certificate): Certificate {
  const isNamed = responderTest(responderId);
  const sent = certificates === undefined ? [] : readSequence(readOnlyChild(certificates));
  if (sent.length > CERTIFICATES_MAX) throw new UnusableAnswerError('it has too many certificates');
  const named = [issuer, ...sent.map(({ bytes }) => readCertificate(bytes))].filter(isNamed);
  if (named.length === 0) throw new UnusableAnswerError('the certificate of the responder is missing');
  const signer = named.find(({ x509 }) => isSignatureOf(signed, x509.publicKey));
  if (signer === undefined) throw new UnusableAnswerError('its signature is not that of the responder');
  if (signer !== issuer) refuseUncertified(signer, issuer);
  return signer;
}

/** RFC 6960, 4.2.2.2: certified for this purpose by the issuer itself, not by one above it. */
function refuseUncertified(responder: Certificate, issuer: Certificate): void {
  refuseWeak(readScheme(responder.signatureAlgorithm, undefined));
  if (!isIssuedBy(responder, issuer))
    throw new UnusableAnswerError('the issuer did not certify the responder');
  const keyUsage = readKeyUsage(responder);
  const maySign = keyUsage === undefined || (keyUsage & SIGNS) !== 0;
  if (!maySign || !hasExtendedKeyUsage(responder, OCSP_SIGNING))
    throw new UnusableAnswerError('the certificate of the responder does not permit OCSP signing');
}

function responderTest(responderId: DerValue | undefined): (certificate: Certificate) => boolean {
  if (responderId?.tag === contextTag(1)) {
    const name = readOnlyChild(responderId).bytes;
    return ({ subject }) => isSameName(subject, name);
  }
  const keyHash = readOctetString(readOnlyChild(expectTag(responderId, contextTag(2))));
  return ({ keyBits }) => sha1(keyBits).equals(keyHash);
}

/** Reads a SingleResponse, RFC 6960, 4.2.1. */
function readStatus([, status, thisUpdate, ...rest]: DerValue[]): DatedStatus {
  const nextUpdate = rest.find(({ tag }) => tag === contextTag(0));
  const extensions = readUncritical(rest.find(({ tag }) => tag === contextTag(1)));
  const timeIn = (id: string) => {
    const extension = extensions.get(id);
    return extension && readTime(readDer(extension.value));
  };
  const dates = {
    thisUpdate: readTime(thisUpdate),
    nextUpdate: nextUpdate && readTime(readOnlyChild(nextUpdate)),
    knowsExpiredSince: timeIn(ARCHIVE_CUTOFF),
  };
  if (status?.tag === GOOD) return { status: 'good', ...dates };
  if (status?.tag === REVOKED)
    return { ...readRevocation(status), invalidSince: timeIn(INVALIDITY_DATE), ...dates };
  throw new UnusableAnswerError('the responder does not know the certificate');
}

/** Undefined if the hash is not supported. */
function isCertIdOf(value: DerValue | undefined, { certificate, issuer }: Question): boolean | undefined {
  const [algorithm, nameHash, keyHash, serialNumber] = readSequence(value);
  if (!expectTag(serialNumber, TAG.integer).content.equals(certificate.serialNumber)) return false;
  const hash = NAMING[readOid(readSequence(algorithm)[0])];
  if (hash === undefined) return undefined;
  const isDigest = (value: DerValue | undefined, ...candidates: Buffer[]) => {
    const stated = readOctetString(value);
    return candidates.some((bytes) => createHash(hash).update(bytes).digest().equals(stated));
  };
  // Responders hash the name as the one or the other certificate encodes it.
  return isDigest(nameHash, certificate.issuer, issuer.subject) && isDigest(keyHash, issuer.keyBits);
}

function readRevocation(status: DerValue): Extract<RevocationStatus, { status: 'revoked' }> {
  const [at, reason] = readChildren(status);
  const code = reason && expectTag(readOnlyChild(reason), ENUMERATED).content[0];
  return { status: 'revoked', at: readTime(at), reason: code };
}
