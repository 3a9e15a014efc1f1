import { contextTag } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readDer,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { type Certificate, httpUri, httpUris } from '../x509/certificate.ts';

const AUTHORITY_INFO_ACCESS = '1.3.6.1.5.5.7.1.1';
const CRL_DISTRIBUTION_POINTS = '2.5.29.31';
const FRESHEST_CRL = '2.5.29.46';
const ACCESS_METHODS = { ocsp: '1.3.6.1.5.5.7.48.1', caIssuers: '1.3.6.1.5.5.7.48.2' } as const;
/** The certificate comes from an untrusted document and must not make us query many servers. */
const PLACES_MAX = 2;

/**
 * The URLs of the issuer certificate, or of an OCSP responder, in a certificate (RFC 5280, 4.2.2.1). Throws DerError.
 */
export function accessPlaces({ extensions }: Certificate, method: keyof typeof ACCESS_METHODS): string[] {
  const extension = extensions.get(AUTHORITY_INFO_ACCESS);
  if (extension === undefined) return [];
  const places = readSequence(readDer(extension.value)).flatMap((description) => {
    const [id, place] = readSequence(description);
    return readOid(id) === ACCESS_METHODS[method] ? httpUri(place) : [];
  });
  return places.slice(0, PLACES_MAX);
}

/** The URLs of the issuer's own CRLs for all reasons (RFC 5280, 4.2.1.13). Throws DerError. */
export const crlPlaces = (certificate: Certificate): string[] =>
  // With `reasons` or `cRLIssuer` the CRL covers some reasons only, or is from another issuer.
  pointPlaces(certificate, CRL_DISTRIBUTION_POINTS, (rest) => rest.length === 0);

/** The URLs of CRLs for some reasons or by other issuers. Throws DerError. */
export const partialCrlPlaces = (certificate: Certificate): string[] =>
  pointPlaces(certificate, CRL_DISTRIBUTION_POINTS, (rest) => rest.length > 0);

/** The URLs of delta CRLs in a certificate or a CRL (RFC 5280, 4.2.1.15 and 5.2.6). Throws DerError. */
export const deltaCrlPlaces = (source: Pick<Certificate, 'extensions'>): string[] =>
  pointPlaces(source, FRESHEST_CRL, () => true);

function pointPlaces(
  { extensions }: Pick<Certificate, 'extensions'>,
  id: string,
  isWanted: (rest: DerValue[]) => boolean,
): string[] {
  const extension = extensions.get(id);
  if (extension === undefined) return [];
  const places = readSequence(readDer(extension.value)).flatMap((point) => {
    const [name, ...rest] = readSequence(point);
    if (name?.tag !== contextTag(0) || !isWanted(rest)) return [];
    const fullName = readOnlyChild(name);
    return fullName.tag === contextTag(0) ? httpUris(fullName) : [];
  });
  return places.slice(0, PLACES_MAX);
}

/** Whether a certificate names any source of its revocation status, reachable or not. */
export function namesAuthorities(certificate: Certificate): boolean {
  if (certificate.extensions.has(CRL_DISTRIBUTION_POINTS)) return true;
  try {
    return accessPlaces(certificate, 'ocsp').length > 0;
  } catch (error) {
    if (error instanceof DerError) return true;
    throw error;
  }
}
