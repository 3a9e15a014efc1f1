import { DerError } from '../asn1/der-reader.ts';
import type { Fetcher } from '../fetcher.ts';
import { isFetchFailure } from '../fetcher.ts';
import { PkiError } from '../pki-error.ts';
import { type Certificate, displayName } from '../x509/certificate.ts';
import { accessPlaces, crlPlaces, deltaCrlPlaces, partialCrlPlaces } from './authority-access.ts';
import { type CrlAnswer, checkCrl, fetchCrl, readCrl } from './crl.ts';
import type { CrlSigners } from './crl-signers.ts';
import { askOcsp, needsNoCheck, type OcspAnswer, type Question } from './ocsp.ts';
import { CERTIFICATE_HOLD, type DatedStatus, refuseOtherTime, UnusableAnswerError } from './revocation.ts';
import { RevocationLists } from './revocation-lists.ts';

/** CRLs held at a time, each up to the size limit: a list and its delta for the chains of a signer and two time-stamps. */
const LISTS_MAX = 16;

export interface StatusRequest {
  fetcher: Fetcher;
  signal: AbortSignal;
  /** CRLs keyed by URL: one CRL covers several certificates. */
  lists: Map<string, Promise<Buffer>>;
}

/** Responses that show that a certificate is good. */
export interface StatusEvidence {
  ocsp?: OcspAnswer;
  crls: CrlAnswer[];
}

/** The status of a certificate, and the evidence for it. */
export interface FoundStatus {
  answer: DatedStatus;
  evidence: StatusEvidence;
}

/**
 * Like `findStatus`, for a certificate that must be good. Throws SIGNING_KEY_INVALID if it is revoked,
 * REVOCATION_UNAVAILABLE if its status cannot be determined, and the signal's reason.
 */
export async function askStatus(question: Question, request: StatusRequest): Promise<StatusEvidence> {
  const { answer, evidence } = await findStatus(question, request);
  refuseRevoked(question.certificate, answer);
  return evidence;
}

/**
 * Queries the OCSP responders of a certificate. If none gives a usable response, fetches its CRLs. With
 * `signers`, delta CRLs and CRLs by separate keys, by other issuers and for some reasons count as well. Throws
 * REVOCATION_UNAVAILABLE if the status cannot be determined, and the signal's reason.
 */
export async function findStatus(
  question: Question,
  request: StatusRequest,
  signers?: CrlSigners,
): Promise<FoundStatus> {
  const { certificate } = question;
  const objections: Error[] = [];
  const attempts = [
    ...placesOf(certificate, objections, (one) => accessPlaces(one, 'ocsp')).map(
      (url) => () => statusByOcsp(url, question, request),
    ),
    ...placesOf(certificate, objections, crlPlaces).map(
      (url) => () => statusByCrl(url, question, request, signers),
    ),
    ...(signers === undefined ? [] : [() => statusByCrls(question, request, signers)]),
  ];
  for (const attempt of attempts) {
    try {
      return await attempt();
    } catch (error) {
      request.signal.throwIfAborted();
      objections.push(asObjection(error));
    }
  }
  throw unavailable(certificate, new AggregateError(objections, 'no usable response'));
}

/** REVOCATION_UNAVAILABLE for this certificate. */
export function unavailable(certificate: Certificate, cause: unknown): PkiError {
  const message = `The revocation status of the certificate of “${displayName(certificate)}” is not available: its authorities gave no usable response, or it names none.`;
  return new PkiError('REVOCATION_UNAVAILABLE', message, { cause });
}

/** Returns an error after which other sources are tried; throws any other. */
function asObjection(error: unknown): Error {
  const isExpected =
    error instanceof UnusableAnswerError || error instanceof DerError || isFetchFailure(error);
  if (isExpected) return error;
  throw error;
}

function placesOf<Source>(source: Source, objections: Error[], read: (source: Source) => string[]): string[] {
  try {
    return read(source);
  } catch (error) {
    objections.push(asObjection(error));
    return [];
  }
}

async function statusByOcsp(url: string, question: Question, request: StatusRequest): Promise<FoundStatus> {
  const ocsp = await askOcsp(url, question, request);
  const crls =
    ocsp.responder === undefined ? [] : await evidenceOnResponder(ocsp.responder, question, request);
  return { answer: ocsp, evidence: { ocsp, crls } };
}

/**
 * A responder is not checked if its issuer exempts it or names no CRL (RFC 6960, 4.2.2.2.1). It is never asked about
 * itself.
 */
async function evidenceOnResponder(
  responder: Certificate,
  { issuer }: Question,
  request: StatusRequest,
): Promise<CrlAnswer[]> {
  const [url] = needsNoCheck(responder) ? [] : crlPlaces(responder);
  if (url === undefined) return [];
  const crl = checkCrl(await fetchOnce(url, request), { certificate: responder, issuer }, new Date());
  if (crl.status === 'revoked') throw new UnusableAnswerError('the certificate of the responder is revoked');
  return [crl];
}

async function statusByCrl(
  url: string,
  question: Question,
  request: StatusRequest,
  signers: CrlSigners | undefined,
): Promise<FoundStatus> {
  const list = await fetchOnce(url, request);
  const crl = checkCrl(list, question, new Date());
  const evidence = { crls: [crl] };
  if (signers === undefined) return { answer: crl, evidence };
  const sources = [question.certificate, readCrl(list)];
  const places = sources.flatMap((source) => placesOf(source, [], deltaCrlPlaces));
  const deltas = await fetchAll(places, request);
  if (deltas.length === 0) return { answer: crl, evidence };
  return { answer: decisive(question, [list, ...deltas], signers) ?? crl, evidence };
}

/** What all CRLs of a certificate say together, with those already fetched for others. */
async function statusByCrls(
  question: Question,
  request: StatusRequest,
  signers: CrlSigners,
): Promise<FoundStatus> {
  const read = [crlPlaces, partialCrlPlaces, deltaCrlPlaces];
  const own = await fetchAll(
    read.flatMap((each) => placesOf(question.certificate, [], each)),
    request,
  );
  const answer = decisive(
    question,
    [...own, ...fulfilled(await Promise.allSettled(request.lists.values()))],
    signers,
  );
  if (answer === undefined) throw new UnusableAnswerError('its CRLs together do not cover the certificate');
  return { answer, evidence: { crls: [] } };
}

/** The status by several CRLs: a final revocation, else what the latest says. Undefined if none is current. */
function decisive(
  question: Question,
  lists: readonly Buffer[],
  signers: CrlSigners,
): DatedStatus | undefined {
  const { answers } = new RevocationLists().statusesOf(question, [...new Set(lists)], signers);
  const current = answers.filter((answer) => isCurrent(answer, new Date()));
  const [latest] = current.toSorted((a, b) => b.thisUpdate.getTime() - a.thisUpdate.getTime());
  return current.find(isFinal) ?? latest;
}

const isFinal = (answer: DatedStatus): boolean =>
  answer.status === 'revoked' && answer.reason !== CERTIFICATE_HOLD;

/** The CRLs that can be fetched. */
async function fetchAll(urls: readonly string[], request: StatusRequest): Promise<Buffer[]> {
  return fulfilled(await Promise.allSettled(urls.map(async (url) => fetchOnce(url, request))));
}

const fulfilled = (fetched: readonly PromiseSettledResult<Buffer>[]): Buffer[] =>
  fetched.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));

function isCurrent(answer: DatedStatus, now: Date): boolean {
  try {
    refuseOtherTime(answer, now);
    return true;
  } catch (error) {
    if (error instanceof UnusableAnswerError) return false;
    throw error;
  }
}

function fetchOnce(url: string, request: StatusRequest): Promise<Buffer> {
  const known = request.lists.get(url);
  if (known !== undefined) return known;
  if (request.lists.size === LISTS_MAX) throw new UnusableAnswerError(`more than ${LISTS_MAX} CRLs`);
  const list = fetchCrl(url, request);
  request.lists.set(url, list);
  return list;
}

function refuseRevoked(certificate: Certificate, answer: DatedStatus): void {
  if (answer.status === 'good') return;
  const day = answer.at.toISOString().slice(0, 10);
  throw new PkiError(
    'SIGNING_KEY_INVALID',
    `The certificate of “${displayName(certificate)}” was revoked on ${day}.`,
    { cause: new Error(`serial number ${certificate.x509.serialNumber}, reason ${answer.reason ?? 'none'}`) },
  );
}
