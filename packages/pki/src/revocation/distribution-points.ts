import { contextTag, der, sequence, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  readBitString,
  readChildren,
  readDer,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { type Certificate, type Extension, isAuthority } from '../x509/certificate.ts';
import { nameKey } from '../x509/same-name.ts';

const CRL_DISTRIBUTION_POINTS = '2.5.29.31';
const ISSUING_DISTRIBUTION_POINT = '2.5.29.28';
/** Real certificates have a few. */
const POINTS_MAX = 100;
const DIRECTORY = contextTag(4);

/** The fields of IssuingDistributionPoint. */
const SCOPE_TAGS: ReadonlySet<number> = new Set([
  contextTag(0),
  ...[1, 2, 3, 4, 5].map((number) => contextTag(number, false)),
]);

/** ReasonFlags 1 to 8 (RFC 5280, 4.2.1.13), as the first two octets of the bits. */
export const ALL_REASONS = 0x7f80;

/** Where a certificate says that its status is published. Names are keys: two that are equal have the same. */
interface Point {
  places: ReadonlySet<string> | undefined;
  reasons: number;
  /** Other issuers of the CRL; undefined: the issuer of the certificate. */
  issuers: readonly string[] | undefined;
}

/** What a CRL covers (RFC 5280, 5.2.5). */
export interface Scope {
  /** The extension, as encoded; base and delta CRL have the same. */
  encoded: Buffer | undefined;
  places: ReadonlySet<string> | undefined;
  reasons: number;
  /** Whether it may have entries for certificates of other issuers. */
  isIndirect: boolean;
  isOnlyFor: 'users' | 'authorities' | 'attributes' | undefined;
}

/** Throws DerError. */
export function readScope(extensions: ReadonlyMap<string, Extension>, issuer: Buffer): Scope {
  const encoded = extensions.get(ISSUING_DISTRIBUTION_POINT)?.value;
  const fields = encoded === undefined ? [] : readSequence(readDer(encoded));
  const field = (number: number, isConstructed = false) =>
    fields.find(({ tag }) => tag === contextTag(number, isConstructed));
  const isSet = (number: number) => field(number)?.content.some((octet) => octet !== 0) === true;
  // What is not understood may limit the scope, and at most one of the limits may be set.
  if (fields.some(({ tag }) => !SCOPE_TAGS.has(tag)) || [1, 2, 5].filter(isSet).length > 1)
    throw new DerError('unknown scope of a CRL');
  const [place, reasons] = [field(0, true), field(3)];
  return {
    encoded,
    places: place && placesOf(place, issuer),
    reasons: reasons === undefined ? ALL_REASONS : readReasons(reasons),
    isIndirect: isSet(4),
    isOnlyFor: isSet(5) ? 'attributes' : isSet(1) ? 'users' : isSet(2) ? 'authorities' : undefined,
  };
}

/**
 * The reasons for which a CRL of this issuer and scope covers a certificate (RFC 5280, 6.3.3 (b) and (d)); 0 if it
 * does not. Throws DerError for an unreadable certificate.
 */
export function coveredReasons(list: { issuer: Buffer; scope: Scope }, certificate: Certificate): number {
  const { scope, issuer } = list;
  const { isOnlyFor } = scope;
  if (isOnlyFor !== undefined && isOnlyFor !== (isAuthority(certificate) ? 'authorities' : 'users')) return 0;
  const listIssuer = nameKey(issuer);
  const isOwn = listIssuer === nameKey(certificate.issuer);
  let reasons = 0;
  for (const point of pointsOf(certificate)) {
    const { issuers } = point;
    if (issuers === undefined ? !isOwn : !(scope.isIndirect && issuers.includes(listIssuer))) continue;
    const places = point.places ?? new Set(issuers?.map(directoryKey));
    const isShared = scope.places === undefined || [...scope.places].some((place) => places.has(place));
    if (isShared) reasons |= point.reasons & scope.reasons;
  }
  return reasons;
}

const known = new WeakMap<Certificate, readonly Point[]>();

function pointsOf(certificate: Certificate): readonly Point[] {
  const points = known.get(certificate) ?? readPoints(certificate);
  known.set(certificate, points);
  return points;
}

/** With the point that each certificate has: its issuer, for all reasons (RFC 5280, 6.3.3, at the end). */
function readPoints({ extensions, issuer }: Certificate): Point[] {
  const extension = extensions.get(CRL_DISTRIBUTION_POINTS);
  const stated = extension === undefined ? [] : readSequence(readDer(extension.value));
  if (stated.length > POINTS_MAX) throw new DerError(`more than ${POINTS_MAX} distribution points`);
  const usual = {
    places: new Set([directoryKey(nameKey(issuer))]),
    reasons: ALL_REASONS,
    issuers: undefined,
  };
  return [usual, ...stated.map((point) => readPoint(readSequence(point), issuer))];
}

function readPoint(fields: readonly DerValue[], certificateIssuer: Buffer): Point {
  const field = (number: number, isConstructed = true) =>
    fields.find(({ tag }) => tag === contextTag(number, isConstructed));
  const [place, reasons, others] = [field(0), field(1, false), field(2)];
  const issuers = others && readChildren(others).filter(({ tag }) => tag === DIRECTORY);
  return {
    places: place && placesOf(place, issuers?.[0]?.content ?? certificateIssuer),
    reasons: reasons === undefined ? ALL_REASONS : readReasons(reasons),
    issuers: issuers?.map(({ content }) => nameKey(content)),
  };
}

/** DistributionPointName: full names, or one RDN below the issuer. */
function placesOf(place: DerValue, issuer: Buffer): ReadonlySet<string> {
  const name = readOnlyChild(place);
  if (name.tag === contextTag(0)) return new Set(readChildren(name).map(generalKey));
  const full = sequence(readDer(issuer).content, der(TAG.set, name.content));
  return new Set([directoryKey(nameKey(full))]);
}

const generalKey = ({ tag, content }: DerValue): string =>
  tag === DIRECTORY ? directoryKey(nameKey(content)) : `${tag}:${content.toString('hex')}`;

const directoryKey = (name: string): string => `${DIRECTORY}:${name}`;

function readReasons({ content }: DerValue): number {
  const [first = 0, second = 0] = readBitString({ tag: TAG.bitString, content, bytes: content });
  return ((first << 8) | second) & ALL_REASONS;
}
