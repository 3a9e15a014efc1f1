import { X509Certificate } from 'node:crypto';
import { DerError } from '../asn1/der-reader.ts';
import { readBundle } from '../cms/read-signed-data.ts';
import type { Fetcher } from '../fetcher.ts';
import { isFetchFailure } from '../fetcher.ts';
import { accessPlaces } from '../revocation/authority-access.ts';
import { type Certificate, isIssuedBy, isSelfSigned, isValidAt, readCertificate } from './certificate.ts';

/** Certificates in a path, the root among them; the longest in use have five. */
const PATH_LENGTH_MAX = 8;
const CERTIFICATE_BYTES_MAX = 64 * 1024;
const PEM = Buffer.from('-----BEGIN');

export interface ChainOptions {
  /** Where issuers are searched before any are fetched. */
  pool: readonly Certificate[];
  fetcher: Fetcher;
  signal: AbortSignal;
}

/**
 * The path from a certificate to a root, with checked signatures; each certificate is followed by its issuer. Issuers
 * missing from the pool are fetched from the URLs in the certificate (RFC 5280, 4.2.2.1). Ends early if none is
 * found; when `signal` fires, rejects with its reason. Does not establish trust.
 */
export async function buildChain(
  certificate: Certificate,
  { pool, fetcher, signal }: ChainOptions,
): Promise<Certificate[]> {
  const path = [certificate];
  for (let last = certificate; path.length < PATH_LENGTH_MAX && !isSelfSigned(last); ) {
    const issuer = findIssuer(last, pool, path) ?? (await fetchIssuer(last, path, { fetcher, signal }));
    if (issuer === undefined) break;
    path.push(issuer);
    last = issuer;
  }
  return path;
}

/** Prefers an issuer that is valid now, then a root, which ends the path, then one whose own issuer is available. */
function findIssuer(
  certificate: Certificate,
  candidates: readonly Certificate[],
  path: readonly Certificate[],
): Certificate | undefined {
  const now = new Date();
  const isAtHand = (one: Certificate) => candidates.some((other) => isIssuedBy(one, other));
  const rank = (one: Certificate) =>
    (isValidAt(one, now) ? 4 : 0) + (isSelfSigned(one) ? 2 : 0) + (isAtHand(one) ? 1 : 0);
  const issuers = candidates.filter(
    (one) => !path.some(({ der }) => der.equals(one.der)) && isIssuedBy(certificate, one),
  );
  return issuers.length > 1 ? issuers.toSorted((a, b) => rank(b) - rank(a))[0] : issuers[0];
}

async function fetchIssuer(
  certificate: Certificate,
  path: readonly Certificate[],
  { fetcher, signal }: Pick<ChainOptions, 'fetcher' | 'signal'>,
): Promise<Certificate | undefined> {
  for (const url of issuerPlaces(certificate)) {
    try {
      const bytes = await fetcher.fetch(url, { bytesMax: CERTIFICATE_BYTES_MAX, signal });
      const issuer = findIssuer(certificate, readCertificates(bytes), path);
      if (issuer !== undefined) return issuer;
    } catch (error) {
      signal.throwIfAborted();
      if (!(isFetchFailure(error) || error instanceof DerError)) throw error;
    }
  }
  return undefined;
}

/** Empty if the certificate names them in an unreadable way. */
function issuerPlaces(certificate: Certificate): string[] {
  try {
    return accessPlaces(certificate, 'caIssuers');
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

/**
 * The formats that servers return: one certificate in DER, several in a SignedData (RFC 5280, 4.2.2.1), or, against
 * the standard, one in PEM.
 */
function readCertificates(bytes: Buffer): Certificate[] {
  if (bytes.subarray(0, PEM.length).equals(PEM)) return [readCertificate(fromPem(bytes))];
  try {
    return readBundle(bytes);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    return [readCertificate(bytes)];
  }
}

function fromPem(bytes: Buffer): Buffer {
  try {
    return new X509Certificate(bytes).raw;
  } catch {
    throw new DerError('unreadable certificate');
  }
}
