import { contextTag, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readBitString,
  readDer,
  readInteger,
  readNumber,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import type { Fetcher } from '../fetcher.ts';
import { type Certificate, type Extension, readExtensions } from '../x509/certificate.ts';
import { isSameName } from '../x509/same-name.ts';
import { isSignatureOf } from '../x509/signature.ts';
import { readTime } from '../x509/time.ts';
import { findCrlEntry, refuseUnknown } from './crl-entries.ts';
import { maySignCrls } from './crl-signers.ts';
import { ALL_REASONS, coveredReasons, readScope, type Scope } from './distribution-points.ts';
import type { Question } from './ocsp.ts';
import {
  type DatedStatus,
  REMOVE_FROM_CRL,
  type RevocationStatus,
  refuseOtherTime,
  UnusableAnswerError,
} from './revocation.ts';

/** A size that a document can embed. The largest CRLs in use are larger; their authorities have OCSP responders. */
const CRL_BYTES_MAX = 10 * 1024 * 1024;
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const CRL_NUMBER = '2.5.29.20';
/** RFC 5280, 5.2.3, and one for the sign. */
const CRL_NUMBER_OCTETS_MAX = 21;
const DELTA_CRL_INDICATOR = '2.5.29.27';
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28';
const FRESHEST_CRL = '2.5.29.46';
const AUTHORITY_INFO_ACCESS = '1.3.6.1.5.5.7.1.1';
/** ExpiredCertsOnCRL, ITU-T X.509, 9.5.2.8. */
const EXPIRED_CERTIFICATES = '2.5.29.60';
const UNDERSTOOD = new Set([
  AUTHORITY_KEY_IDENTIFIER,
  CRL_NUMBER,
  DELTA_CRL_INDICATOR,
  ISSUING_DISTRIBUTION_POINT,
  FRESHEST_CRL,
  AUTHORITY_INFO_ACCESS,
  EXPIRED_CERTIFICATES,
]);

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
  scope: Scope;
  number: bigint | undefined;
  /** The number of the CRL that a delta CRL continues; undefined for a complete CRL. */
  base: bigint | undefined;
  signed: { algorithm: DerValue | undefined; signature: Buffer; data: Buffer };
  /** Whether each certificate signed it, cached: a CRL has megabytes and covers many certificates. */
  signers: WeakMap<Certificate, boolean>;
  /** The status of each certificate, cached. */
  found: WeakMap<Certificate, Found>;
}

type Found = RevocationStatus | 'absent' | DerError | UnusableAnswerError;

/** Fetches the bytes at `url` without checking them. Throws FetchError. */
export function fetchCrl(
  url: string,
  { fetcher, signal }: { fetcher: Fetcher; signal: AbortSignal },
): Promise<Buffer> {
  return fetcher.fetch(url, { bytesMax: CRL_BYTES_MAX, signal });
}

/** A status with the reasons that the CRL covers. */
export type OpenedCrl = CrlAnswer & { reasons: number };

/**
 * Accepts a CRL that is current at `now`, signed by the issuer, and covers this certificate for all reasons. Throws
 * UnusableAnswerError and DerError.
 */
export function checkCrl(list: Buffer, question: Question, now: Date): CrlAnswer {
  const read = readCrl(list);
  const { certificate, issuer } = question;
  if (!isSameName(read.issuer, issuer.subject)) throw new UnusableAnswerError('it is from another issuer');
  if (!maySignCrls(issuer)) throw new UnusableAnswerError('the issuer may not sign CRLs');
  if (!isSignedBy(read, issuer)) throw new UnusableAnswerError('its signature is not that of the issuer');
  if (read.base !== undefined) throw new UnusableAnswerError('it is a delta CRL');
  const { reasons, ...answer } = openCrl(read, certificate);
  if (reasons !== ALL_REASONS) throw new UnusableAnswerError('it does not cover the certificate');
  refuseOtherTime(answer, now);
  return answer;
}

/**
 * What a CRL of any age says about a certificate. The caller checks its signature. Throws UnusableAnswerError and
 * DerError.
 */
export function openCrl(list: CertificateList, certificate: Certificate): OpenedCrl {
  refuseUnknown(list.extensions, UNDERSTOOD);
  const reasons = coveredReasons(list, certificate);
  const entry = findEntry(list, certificate);
  const { thisUpdate, nextUpdate, extensions, der } = list;
  const since = extensions.get(EXPIRED_CERTIFICATES);
  const knowsExpiredSince = since && readTime(readDer(since.value));
  // An entry that removes belongs into a delta CRL; in others it is as good as none.
  const isRemoval =
    list.base === undefined && entry?.status === 'revoked' && entry.reason === REMOVE_FROM_CRL;
  const status = entry === undefined || isRemoval ? ({ status: 'good' } as const) : entry;
  return { ...status, thisUpdate, nextUpdate, knowsExpiredSince, der, reasons };
}

function findEntry(list: CertificateList, certificate: Certificate): RevocationStatus | undefined {
  const known = list.found.get(certificate) ?? lookUp(list, certificate);
  list.found.set(certificate, known);
  if (known instanceof Error) throw known;
  return known === 'absent' ? undefined : known;
}

function lookUp({ entries, issuer }: CertificateList, certificate: Certificate): Found {
  try {
    return (entries && findCrlEntry(entries, issuer, certificate)) ?? 'absent';
  } catch (error) {
    if (error instanceof DerError || error instanceof UnusableAnswerError) return error;
    throw error;
  }
}

/** Whether the key of this certificate signed the list. Throws DerError for an unsupported or weak algorithm. */
export function isSignedBy({ signers, signed }: CertificateList, issuer: Certificate): boolean {
  const isSigner = signers.get(issuer) ?? isSignatureOf(signed, issuer.x509.publicKey);
  signers.set(issuer, isSigner);
  return isSigner;
}

/** Reads a CertificateList, RFC 5280, 5.1. Throws DerError. */
export function readCrl(der: Buffer): CertificateList {
  const [body, algorithm, signature] = readSequence(readDer(der));
  const fields = readSequence(body);
  // Version 1 has no version.
  const version = fields[0]?.tag === TAG.integer ? fields.shift() : undefined;
  if (version !== undefined && readNumber(version) !== 1) throw new DerError('CRL of another version');
  const [named, issuer, thisUpdate, ...rest] = fields;
  if (!expectTag(named, TAG.sequence).bytes.equals(expectTag(algorithm, TAG.sequence).bytes))
    throw new DerError('the two names of the signature algorithm differ');
  const nextUpdate = rest.find(({ tag }) => tag === TAG.utcTime || tag === TAG.generalizedTime);
  const wrapped = rest.find(({ tag }) => tag === contextTag(0));
  const extensions = readExtensions(wrapped && readOnlyChild(wrapped));
  const name = expectTag(issuer, TAG.sequence).bytes;
  return {
    der,
    issuer: name,
    thisUpdate: readTime(thisUpdate),
    nextUpdate: nextUpdate && readTime(nextUpdate),
    entries: rest.find(({ tag }) => tag === TAG.sequence),
    extensions,
    scope: readScope(extensions, name),
    number: readCrlNumber(extensions.get(CRL_NUMBER)),
    base: readCrlNumber(extensions.get(DELTA_CRL_INDICATOR)),
    signed: {
      algorithm,
      signature: readBitString(signature),
      data: expectTag(body, TAG.sequence).bytes,
    },
    signers: new WeakMap(),
    found: new WeakMap(),
  };
}

function readCrlNumber(extension: Extension | undefined): bigint | undefined {
  if (extension === undefined) return undefined;
  const octets = readInteger(readDer(extension.value));
  if (octets.length > CRL_NUMBER_OCTETS_MAX) throw new DerError('CRL number out of bounds');
  return BigInt.asIntN(octets.length * 8, BigInt(`0x${octets.toString('hex')}`));
}
