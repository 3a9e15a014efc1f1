import { contextTag, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readBitString,
  readChildren,
  readDer,
  readNumber,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import type { Fetcher } from '../fetcher.ts';
import {
  type Certificate,
  type Extension,
  httpUris,
  readExtensions,
  readKeyUsage,
} from '../x509/certificate.ts';
import { isSignatureOf } from '../x509/signature.ts';
import { readTime } from '../x509/time.ts';
import { crlPlaces } from './authority-access.ts';
import { findCrlEntry } from './crl-entries.ts';
import type { Question } from './ocsp.ts';
import {
  type DatedStatus,
  type RevocationStatus,
  refuseOtherTime,
  UnusableAnswerError,
} from './revocation.ts';

/** A size that a document can embed. The largest CRLs in use are larger; their authorities have OCSP responders. */
const CRL_BYTES_MAX = 10 * 1024 * 1024;
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const CRL_NUMBER = '2.5.29.20';
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28';
const FRESHEST_CRL = '2.5.29.46';
const AUTHORITY_INFO_ACCESS = '1.3.6.1.5.5.7.1.1';
/** ExpiredCertsOnCRL, ITU-T X.509, 9.5.2.8. */
const EXPIRED_CERTIFICATES = '2.5.29.60';
const UNDERSTOOD = new Set([
  AUTHORITY_KEY_IDENTIFIER,
  CRL_NUMBER,
  ISSUING_DISTRIBUTION_POINT,
  FRESHEST_CRL,
  AUTHORITY_INFO_ACCESS,
  EXPIRED_CERTIFICATES,
]);
const CRL_SIGN = 0x02;

/** The status that a CertificateList (RFC 5280, 5) gives. */
export type CrlAnswer = DatedStatus & { der: Buffer };

/** A parsed CertificateList. Its origin is not checked yet. */
export interface CertificateList {
  der: Buffer;
  /** Name in DER. */
  issuer: Buffer;
  thisUpdate: Date;
  nextUpdate: Date | undefined;
  entries: DerValue | undefined;
  extensions: ReadonlyMap<string, Extension>;
  signed: { algorithm: DerValue | undefined; signature: Buffer; data: Buffer };
  /** Whether each certificate signed it, cached: a CRL has megabytes and covers many certificates. */
  signers: WeakMap<Certificate, boolean>;
  /** The status of each certificate, cached. */
  found: WeakMap<Certificate, RevocationStatus | 'absent' | DerError>;
}

/** Fetches the bytes at `url` without checking them. Throws FetchError. */
export function fetchCrl(
  url: string,
  { fetcher, signal }: { fetcher: Fetcher; signal: AbortSignal },
): Promise<Buffer> {
  return fetcher.fetch(url, { bytesMax: CRL_BYTES_MAX, signal });
}

/** Like `openCrl`, for a CRL that is current at `now`. Throws UnusableAnswerError and DerError. */
export function checkCrl(list: Buffer, question: Question, now: Date): CrlAnswer {
  const answer = openCrl(readCrl(list), question);
  refuseOtherTime(answer, now);
  return answer;
}

/**
 * Accepts a CRL of any age by the issuer of this certificate that covers it for all reasons (RFC 5280, 6.3.3). Delta
 * CRLs, CRLs for some reasons and indirect CRLs are not supported. Throws UnusableAnswerError and DerError.
 */
export function openCrl(list: CertificateList, { certificate, issuer }: Question): CrlAnswer {
  if (!list.issuer.equals(issuer.subject)) throw new UnusableAnswerError('it is from another issuer');
  if (!maySignCrls(issuer)) throw new UnusableAnswerError('the issuer may not sign CRLs');
  if (!isSignedBy(list, issuer)) throw new UnusableAnswerError('its signature is not that of the issuer');
  refuseOtherScope(list.extensions, certificate);
  const entry = findEntry(list, certificate);
  const { thisUpdate, nextUpdate, extensions, der } = list;
  const since = extensions.get(EXPIRED_CERTIFICATES);
  const knowsExpiredSince = since && readTime(readDer(since.value));
  return { ...(entry ?? { status: 'good' }), thisUpdate, nextUpdate, knowsExpiredSince, der };
}

function findEntry(list: CertificateList, certificate: Certificate): RevocationStatus | undefined {
  const known = list.found.get(certificate) ?? lookUp(list, certificate);
  list.found.set(certificate, known);
  if (known instanceof DerError) throw known;
  return known === 'absent' ? undefined : known;
}

function lookUp(
  { entries }: CertificateList,
  { serialNumber }: Certificate,
): RevocationStatus | 'absent' | DerError {
  try {
    return (entries && findCrlEntry(entries, serialNumber)) ?? 'absent';
  } catch (error) {
    if (error instanceof DerError) return error;
    throw error;
  }
}

function isSignedBy({ signers, signed }: CertificateList, issuer: Certificate): boolean {
  const isSigner = signers.get(issuer) ?? isSignatureOf(signed, issuer.x509.publicKey);
  signers.set(issuer, isSigner);
  return isSigner;
}

/** Reads a CertificateList, RFC 5280, 5.1. Throws DerError. */
export function readCrl(der: Buffer): CertificateList {
  const [body, algorithm, signature] = readSequence(readDer(der));
  const [version, , issuer, thisUpdate, ...rest] = readSequence(body);
  if (readNumber(version) !== 1) throw new DerError('CRL version 2 expected');
  const nextUpdate = rest.find(({ tag }) => tag === TAG.utcTime || tag === TAG.generalizedTime);
  const extensions = rest.find(({ tag }) => tag === contextTag(0));
  return {
    der,
    issuer: expectTag(issuer, TAG.sequence).bytes,
    thisUpdate: readTime(thisUpdate),
    nextUpdate: nextUpdate && readTime(nextUpdate),
    entries: rest.find(({ tag }) => tag === TAG.sequence),
    extensions: readExtensions(extensions && readOnlyChild(extensions)),
    signed: {
      algorithm,
      signature: readBitString(signature),
      data: expectTag(body, TAG.sequence).bytes,
    },
    signers: new WeakMap(),
    found: new WeakMap(),
  };
}

function maySignCrls(issuer: Certificate): boolean {
  const keyUsage = readKeyUsage(issuer);
  return keyUsage === undefined || (keyUsage & CRL_SIGN) !== 0;
}

function refuseOtherScope(extensions: ReadonlyMap<string, Extension>, certificate: Certificate): void {
  for (const [id, { isCritical }] of extensions)
    if (isCritical && !UNDERSTOOD.has(id))
      throw new UnusableAnswerError(`it has the critical extension ${id}`);
  const point = extensions.get(ISSUING_DISTRIBUTION_POINT);
  if (point === undefined) return;
  for (const field of readSequence(readDer(point.value))) {
    if (field.tag === contextTag(0)) refuseOtherPlace(field, certificate);
    else if ((field.tag === SOME_REASONS || isTrue(field)) && !isScopeOf(field.tag, certificate))
      throw new UnusableAnswerError('it does not cover the certificate');
  }
}

const ONLY_USERS = contextTag(1, false);
const ONLY_AUTHORITIES = contextTag(2, false);
const SOME_REASONS = contextTag(3, false);

const isTrue = ({ tag, content }: DerValue): boolean => (tag & 0x20) !== 0 || content[0] !== 0;

/** A CRL for some reasons, several issuers or attribute certificates covers no certificate here. */
function isScopeOf(tag: number, { x509 }: Certificate): boolean {
  return tag === ONLY_USERS ? !x509.ca : tag === ONLY_AUTHORITIES && x509.ca;
}

/** A CRL for a distribution point covers the certificates that name this point (RFC 5280, 6.3.3 (b) (2) (i)). */
function refuseOtherPlace(name: DerValue, certificate: Certificate): void {
  const [fullName] = readChildren(name);
  const places = fullName?.tag === contextTag(0) ? httpUris(fullName) : [];
  const named = crlPlaces(certificate);
  if (!places.some((place) => named.includes(place)))
    throw new UnusableAnswerError('it is for another distribution point');
}
