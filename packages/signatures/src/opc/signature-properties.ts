import { openTimestampOver } from '@scriptorium/pki/cms';
import type { Element } from '@xmldom/xmldom';
import type { Claims } from '../evidence.ts';
import { CANONICAL_FORMS, type CanonicalForm, canonicalize, INCLUSIVE } from './c14n.ts';
import { readBase64 } from './read-signature.ts';
import { SignatureFormatError } from './signature-errors.ts';
import type { SignatureShape } from './signature-shape.ts';
import { childrenOf, DSIG, MDSSI, OFFICE_DIGSIG, onlyChild, XADES } from './xml-dom.ts';

const TIMESTAMPS_MAX = 5;
const VALUES_MAX = 100;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?$/;

function inside(parent: Element | undefined, namespace: string, ...path: string[]): Element[] {
  let found = parent === undefined ? [] : [parent];
  for (const name of path) found = found.flatMap((element) => childrenOf(element, namespace, name));
  return found;
}

/** Reads an ISO 8601 time, as UTC if it has no zone. */
function readTime(element: Element | undefined): Date | undefined {
  const [, time, zone = 'Z'] = TIME.exec((element?.textContent ?? '').trim()) ?? [];
  const date = time === undefined ? undefined : new Date(`${time}${zone}`);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

/** Returns the signing times in the signed content: of XAdES and of ECMA-376-2 §13.2.4.20. */
export function claimedTimes({ signedProperties, signedContent }: SignatureShape): Date[] {
  const ofXades = inside(signedProperties, XADES, 'SignedSignatureProperties', 'SigningTime');
  const ofPackage = signedContent
    .filter(({ namespaceURI, localName }) => namespaceURI === DSIG && localName === 'SignatureProperties')
    .flatMap((properties) => childrenOf(properties, DSIG, 'SignatureProperty'))
    .flatMap((property) => inside(property, MDSSI, 'SignatureTime', 'Value'));
  return [...ofXades, ...ofPackage].map(readTime).filter((time) => time !== undefined);
}

const ADDRESS_PARTS = ['StreetAddress', 'City', 'StateOrProvince', 'PostalCode', 'CountryName'];

/**
 * Returns what the signed content states about the signer, the purpose and the place. It reads the details that Office shows
 * (MS-OFFCRYPTO §2.5.2.5), and the place of XAdES (EN 319 132-1 §5.2.5).
 */
export function readClaims({ signedProperties, signedContent }: SignatureShape): Claims {
  const details = signedContent
    .filter(({ namespaceURI, localName }) => namespaceURI === DSIG && localName === 'SignatureProperties')
    .flatMap((properties) => childrenOf(properties, DSIG, 'SignatureProperty'))
    .flatMap((property) => inside(property, OFFICE_DIGSIG, 'SignatureInfoV1'));
  const detail = (name: string) => textOf(details.flatMap((each) => childrenOf(each, OFFICE_DIGSIG, name)));
  const signed = inside(signedProperties, XADES, 'SignedSignatureProperties');
  const places = ['SignatureProductionPlaceV2', 'SignatureProductionPlace'].flatMap((name) =>
    signed.flatMap((each) => childrenOf(each, XADES, name)),
  );
  const address = ADDRESS_PARTS.map((name) =>
    textOf(places.slice(0, 1).flatMap((each) => childrenOf(each, XADES, name))),
  );
  const [name, reason] = [detail('SignatureText'), detail('SignatureComments')];
  const location = address.filter((part) => part !== '').join(', ');
  return { ...(name && { name }), ...(reason && { reason }), ...(location && { location }) };
}

const textOf = ([first]: Element[]): string => (first?.textContent ?? '').trim();

/** A time-stamp over a signature value: the DER of its token, and the canonicalization of the value for it. */
interface SignatureTimestamp {
  token: Buffer;
  form: CanonicalForm;
}

/** Reads the time-stamps over the signature value (EN 319 132-1 §5.3). Throws SignatureFormatError. */
function readTimestamps({ unsignedProperties }: SignatureShape): SignatureTimestamp[] {
  const stamps = inside(unsignedProperties, XADES, 'SignatureTimeStamp').flatMap(readTimestamp);
  if (stamps.length > TIMESTAMPS_MAX) throw new SignatureFormatError('it has too many time-stamps');
  return stamps;
}

/** Checks the time-stamps over the signature value: returns the evidence of each, or its fault. Throws SignatureFormatError. */
export const openTimestamps = (signature: SignatureShape): ReturnType<typeof openTimestampOver>[] =>
  readTimestamps(signature).map(({ token, form }) =>
    openTimestampOver(Buffer.from(canonicalize(signature.value, form)), token),
  );

function readTimestamp(stamp: Element): SignatureTimestamp[] {
  const method = onlyChild(stamp, DSIG, 'CanonicalizationMethod');
  const form = method === undefined ? INCLUSIVE : CANONICAL_FORMS.get(method.getAttribute('Algorithm') ?? '');
  if (form === undefined) throw new SignatureFormatError('a time-stamp has an unsupported form');
  const tokens = childrenOf(stamp, XADES, 'EncapsulatedTimeStamp');
  if (tokens.length === 0) throw new SignatureFormatError('a time-stamp has no token');
  return tokens.map((token) => ({ token: readBase64(token), form }));
}

/**
 * Reads the certificates and revocation data in a signature (EN 319 132-1 §5.4), in DER. Throws SignatureFormatError.
 */
export function readEmbedded({ unsignedProperties }: SignatureShape): {
  certificates: Buffer[];
  ocsps: Buffer[];
  crls: Buffer[];
} {
  const read = (...path: string[]) => {
    const found = inside(unsignedProperties, XADES, ...path);
    if (found.length > VALUES_MAX) throw new SignatureFormatError('it has too much validation data');
    return found.map(readBase64);
  };
  return {
    certificates: read('CertificateValues', 'EncapsulatedX509Certificate'),
    ocsps: read('RevocationValues', 'OCSPValues', 'EncapsulatedOCSPValue'),
    crls: read('RevocationValues', 'CRLValues', 'EncapsulatedCRLValue'),
  };
}
