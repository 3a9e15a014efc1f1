import { createHash } from 'node:crypto';
import { DerError } from '../asn1/der-reader.ts';
import type { Fetcher } from '../fetcher.ts';
import type { ValidationData } from '../keys/raw-signer.ts';
import { PkiError } from '../pki-error.ts';
import { buildChain } from '../x509/build-chain.ts';
import { type Certificate, isIssuedBy, isSelfSigned, readCertificate } from '../x509/certificate.ts';
import { askStatus, type StatusEvidence, type StatusRequest, unavailable } from './certificate-status.ts';
import type { Question } from './ocsp.ts';

/** For all requests together: enough for one slow authority and another after it. */
const TOTAL_MS_MAX = 25_000;
const CERTIFICATES_MAX = 32;
/** Responses and CRLs together, which stay in the document. */
const TOTAL_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Collects what later shows that the certificates were good now (level B-LT of EN 319 142-1 and EN 319 132-1). This is their
 * paths to a root, and an OCSP response or else a CRL for each certificate below it. `certificates` are those of signer and
 * time-stamps with their known issuers, in DER, in any order; missing issuers are fetched. Throws SIGNING_KEY_INVALID if one is
 * revoked, and REVOCATION_UNAVAILABLE; rejects with the reason of `signal`.
 */
export async function collectValidationData(
  certificates: readonly Buffer[],
  fetcher: Fetcher,
  signal: AbortSignal,
): Promise<ValidationData> {
  const timeout = AbortSignal.timeout(TOTAL_MS_MAX);
  const failed = new AbortController();
  const any = AbortSignal.any([signal, timeout, failed.signal]);
  try {
    return await collect(readAll(certificates), { fetcher, signal: any, lists: new Map() });
  } catch (error) {
    signal.throwIfAborted();
    failed.abort(error);
    if (!timeout.aborted || error instanceof PkiError) throw error;
    const message = 'The authorities did not report the revocation status in time.';
    throw new PkiError('REVOCATION_UNAVAILABLE', message, { cause: error });
  }
}

function readAll(certificates: readonly Buffer[]): Certificate[] {
  if (certificates.length > CERTIFICATES_MAX)
    throw new PkiError('SIGNING_KEY_INVALID', `The chain has more than ${CERTIFICATES_MAX} certificates.`);
  try {
    return unique(certificates).map(readCertificate);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new PkiError('SIGNING_KEY_INVALID', 'A certificate of the chain cannot be read.', { cause: error });
  }
}

async function collect(pool: Certificate[], request: StatusRequest): Promise<ValidationData> {
  const ends = pool.filter((one) => !pool.some((other) => other !== one && isIssuedBy(other, one)));
  const paths = await Promise.all(ends.map((end) => buildChain(end, { pool, ...request })));
  const questions = new Map(
    paths.flatMap(questionsOf).map((each) => [each.certificate.der.toString('hex'), each]),
  );
  const evidence = await Promise.all([...questions.values()].map((each) => askStatus(each, request)));
  return within(TOTAL_BYTES_MAX, {
    certificates: unique([...paths.flat().map(({ der }) => der), ...evidence.flatMap(responders)]),
    ocsps: unique(evidence.flatMap(({ ocsp }) => (ocsp === undefined ? [] : [ocsp.der]))),
    crls: unique(evidence.flatMap(({ crls }) => crls.map(({ der }) => der))),
  });
}

/**
 * One question per certificate below the root. Throws REVOCATION_UNAVAILABLE if an issuer is missing from the path.
 */
function questionsOf(path: Certificate[]): Question[] {
  return path.flatMap((certificate, index) => {
    const issuer = path[index + 1];
    if (issuer !== undefined) return [{ certificate, issuer }];
    if (isSelfSigned(certificate)) return [];
    throw unavailable(certificate, new Error('its issuer was not found'));
  });
}

const responders = ({ ocsp }: StatusEvidence): Buffer[] =>
  ocsp?.responder === undefined ? [] : [ocsp.responder.der];

const unique = (list: readonly Buffer[]): Buffer[] => [
  ...new Map(list.map((bytes) => [createHash('sha256').update(bytes).digest('hex'), bytes])).values(),
];

function within(bytesMax: number, data: ValidationData): ValidationData {
  const bytes = Object.values(data)
    .flat()
    .reduce((sum: number, { length }: Buffer) => sum + length, 0);
  if (bytes <= bytesMax) return data;
  const message = 'The revocation data are too large to embed in a document.';
  throw new PkiError('REVOCATION_UNAVAILABLE', message, {
    cause: new Error(`${bytes} of ${bytesMax} bytes`),
  });
}
