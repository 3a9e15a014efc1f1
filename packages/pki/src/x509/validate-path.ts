import { contextTag } from '../asn1/der.ts';
import { DerError, readDer, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault, FaultCode } from '../fault.ts';
import { type Certificate, displayName, isSignedBy, isValidAt, subjectKeyIdentifier } from './certificate.ts';
import { faultsOfPath, faultsOfStranger, type JudgedAs } from './path-faults.ts';
import { isSameName, nameKey } from './same-name.ts';

/** Certificates in a path, the anchor among them; the longest in use have five. */
const PATH_LENGTH_MAX = 8;
/** Issuers that are tried. Documents may bring any certificates, and each try costs one signature verification. */
const TRIES_MAX = 300;
/** Candidate issuers with the same name. */
const ISSUERS_MAX = 50;
/** Larger keys and exponents are slow and not in use. */
const RSA_BITS_MAX = 8_192;
const RSA_EXPONENT_MAX = 2n ** 64n;

export interface PathOptions extends JudgedAs {
  /** Certificates among which issuers are searched. They are not trusted. */
  pool: readonly Certificate[];
  /** Each of them ends a path: a root, an authority below one, or the signer's own. */
  anchors: readonly Certificate[];
  /** The remaining tries of this search and those that share it. */
  effort?: PathEffort;
}

export interface ValidatedPath {
  /** The signer's first, each followed by its issuer, the anchor last. */
  path: Certificate[];
  isAnchored: boolean;
  faults: Fault[];
}

/**
 * The shared cost and results of all searches in one document: its signatures often contain the same certificates.
 */
export class PathEffort {
  #triesLeft: number;
  readonly #vouched = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

  constructor(triesMax = TRIES_MAX) {
    this.#triesLeft = triesMax;
  }

  /** Counts one tried issuer; false when the budget is used up. */
  spend(): boolean {
    return this.#triesLeft-- > 0;
  }

  isVouchedFor(certificate: Certificate, issuer: Certificate): boolean {
    const known = this.#vouched.get(certificate) ?? new WeakMap<Certificate, boolean>();
    this.#vouched.set(certificate, known);
    const isVouched = known.get(issuer) ?? (isQuick(issuer) && isSignedBy(certificate, issuer));
    known.set(issuer, isVouched);
    return isVouched;
  }
}

interface Candidate {
  path: Certificate[];
  isAnchored: boolean;
}

/**
 * Finds the path from a certificate to an anchor with the fewest faults (RFC 5280, 6).
 * Each certificate below the anchor must be valid at `time`, the latest time by which the signed data provably
 * existed. One that had expired by then is CERTIFICATE_EXPIRED, as the signature may be older (EN 319 102-1, 5.5.4:
 * OUT_OF_BOUNDS_NO_POE). If `madeAfter` proves the opposite, it is SIGNED_AFTER_EXPIRY (5.3.4: EXPIRED). The time
 * that the signer claims proves neither.
 * The validity of an anchor is not checked: it is trusted by configuration (RFC 5280, 6.1.1 (d)), and roots outlive
 * their dates in archives. The signer's own certificate is always checked. If no path ends
 * at an anchor, the fault is CHAIN_UNTRUSTED, with the faults of the signer certificate itself; the path is then the
 * longest.
 */
export function validatePath(leaf: Certificate, options: PathOptions): ValidatedPath {
  let best: ValidatedPath | undefined;
  for (const candidate of candidates(leaf, options)) {
    const judged = { ...candidate, faults: faultsOf(candidate, options) };
    if (judged.isAnchored && judged.faults.length === 0) return judged;
    if (best === undefined || isBetter(judged, best)) best = judged;
  }
  return best ?? { path: [leaf], isAnchored: false, faults: [untrusted([leaf])] };
}

function faultsOf({ path, isAnchored }: Candidate, options: PathOptions): Fault[] {
  const [leaf] = path;
  if (leaf === undefined) return [];
  return isAnchored ? faultsOfPath(path, options) : [untrusted(path), ...faultsOfStranger(leaf, options)];
}

function untrusted(path: readonly Certificate[]): Fault {
  const end = path.length === 1 ? '' : `: the chain ends at “${displayName(path.at(-1) as Certificate)}”`;
  return {
    code: 'CHAIN_UNTRUSTED',
    message: `The signer's certificate does not chain to a trusted anchor${end}.`,
  };
}

function isBetter(one: ValidatedPath, other: ValidatedPath): boolean {
  const [a, b] = [ranks(one), ranks(other)];
  const place = a.findIndex((rank, index) => rank !== b[index]);
  return place >= 0 && (a[place] ?? 0) < (b[place] ?? 0);
}

/** Faults that fail the path, and faults that leave it in doubt. */
const ERRORS: ReadonlySet<FaultCode> = new Set([
  'CHAIN_INVALID',
  'CERTIFICATE_NOT_YET_VALID',
  'SIGNED_AFTER_EXPIRY',
]);
const DOUBTS: ReadonlySet<FaultCode> = new Set(['CERTIFICATE_EXPIRED', 'WEAK_ALGORITHM']);

/** Lower is better; the first difference decides. */
function ranks({ path, isAnchored, faults }: ValidatedPath): number[] {
  const count = (codes: ReadonlySet<FaultCode>) => faults.filter(({ code }) => codes.has(code)).length;
  return [isAnchored ? 0 : 1, count(ERRORS), count(DOUBTS), isAnchored ? path.length : -path.length];
}

/** All paths, while tries are left. */
function* candidates(
  leaf: Certificate,
  { pool, anchors, time, effort = new PathEffort() }: PathOptions,
): Generator<Candidate> {
  const isAnchor = anchorTest(anchors);
  const bySubject = groupBySubject([...anchors, ...pool]);
  const anchorNames = new Set(anchors.map(({ subject }) => nameKey(subject)));
  let tries = TRIES_MAX;

  function* extend(path: Certificate[]): Generator<Candidate> {
    const last = path.at(-1) as Certificate;
    if (isAnchor(last)) {
      yield { path, isAnchored: true };
      return;
    }
    let isEnd = true;
    const issuers = path.length < PATH_LENGTH_MAX ? (bySubject.get(nameKey(last.issuer)) ?? []) : [];
    const likelihood = (one: Certificate) =>
      (isAnchor(one) ? 8 : 0) +
      (anchorNames.has(nameKey(one.issuer)) ? 4 : 0) +
      (hasNamedKey(last, one) ? 2 : 0) +
      (isValidAt(one, time) ? 1 : 0);
    const likeliest = issuers
      .map((issuer) => ({ issuer, likelihood: issuers.length > 1 ? likelihood(issuer) : 0 }))
      .sort((a, b) => b.likelihood - a.likelihood);
    for (const { issuer } of likeliest) {
      if (tries-- <= 0 || !effort.spend()) break;
      if (path.some((one) => isSameEntity(one, issuer)) || !effort.isVouchedFor(last, issuer)) continue;
      isEnd = false;
      yield* extend([...path, issuer]);
    }
    if (isEnd) yield { path, isAnchored: false };
  }

  yield* extend([leaf]);
}

function anchorTest(anchors: readonly Certificate[]): (certificate: Certificate) => boolean {
  const known = new Set(anchors.map(({ x509 }) => x509.fingerprint256));
  return ({ x509 }) => known.has(x509.fingerprint256);
}

function groupBySubject(certificates: readonly Certificate[]): Map<string, Certificate[]> {
  const unique = new Map(certificates.map((one) => [one.x509.fingerprint256, one]));
  const groups = Map.groupBy(unique.values(), ({ subject }) => nameKey(subject));
  for (const group of groups.values()) group.splice(ISSUERS_MAX);
  return groups;
}

/** The same entity must not appear twice in a path (RFC 5280, 6.1), even with different certificates. */
const isSameEntity = (one: Certificate, other: Certificate): boolean =>
  isSameName(one.subject, other.subject) && one.keyBits.equals(other.keyBits);

/** Whether the issuer has the key that the certificate names (RFC 5280, 4.2.1.1). Only a hint. */
function hasNamedKey({ extensions }: Certificate, issuer: Certificate): boolean {
  const extension = extensions.get(OID.authorityKeyIdentifier);
  if (extension === undefined) return false;
  try {
    const named = readSequence(readDer(extension.value)).find(({ tag }) => tag === contextTag(0, false));
    return named !== undefined && subjectKeyIdentifier(issuer)?.equals(named.content) === true;
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

function isQuick({ x509 }: Certificate): boolean {
  const { modulusLength = 0, publicExponent = 0n } = x509.publicKey.asymmetricKeyDetails ?? {};
  return modulusLength <= RSA_BITS_MAX && publicExponent <= RSA_EXPONENT_MAX;
}
