import { DerError, readDer, readNumber, readOid, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault } from '../fault.ts';
import { hashName, isWeakHash, readScheme, whereSupported } from './algorithms.ts';
import { type Certificate, displayName, hasExtendedKeyUsage, readKeyUsage } from './certificate.ts';
import { isWithinConstraints } from './name-constraints.ts';
import { RSA_BITS_MIN, rsaBits } from './signature.ts';

const EXTENDED_KEY_USAGE = '2.5.29.37';
/** Purposes of machines: servers, time-stamping authorities, OCSP responders. Whoever has no other does not sign documents. */
const SERVER = '1.3.6.1.5.5.7.3.1';
const CLIENT = '1.3.6.1.5.5.7.3.2';
const NOT_FOR_DOCUMENTS = new Set([SERVER, OID.timeStamping, '1.3.6.1.5.5.7.3.9']);
/** Bits of the first octet of KeyUsage, RFC 5280, 4.2.1.3. */
const SIGNS = 0x80 | 0x40;
const SIGNS_CERTIFICATES = 0x04;

/**
 * Extensions that are acted upon, or that change nothing of what is asked here. Policies are among the latter: nobody asks for one.
 */
const UNDERSTOOD = new Set([
  OID.subjectKeyIdentifier,
  OID.authorityKeyIdentifier,
  OID.keyUsage,
  OID.basicConstraints,
  EXTENDED_KEY_USAGE,
  // subjectDirectoryAttributes, privateKeyUsagePeriod, subjectAltName, issuerAltName, nameConstraints.
  ...['2.5.29.9', '2.5.29.16', '2.5.29.17', '2.5.29.18', '2.5.29.30'],
  // cRLDistributionPoints, certificatePolicies, policyMappings, policyConstraints, freshestCRL, inhibitAnyPolicy.
  ...['2.5.29.31', '2.5.29.32', '2.5.29.33', '2.5.29.36', '2.5.29.46', '2.5.29.54'],
  // authorityInfoAccess, subjectInfoAccess, qcStatements, OCSP no check.
  ...['1.3.6.1.5.5.7.1.1', '1.3.6.1.5.5.7.1.11', '1.3.6.1.5.5.7.1.3', '1.3.6.1.5.5.7.48.1.5'],
]);

export type PathUsage = 'signing' | 'timestamping';

export interface JudgedAs {
  /** When what was signed was there at the latest. */
  time: Date;
  usage: PathUsage;
  /** When it was not there yet, as something proves. */
  madeAfter?: Date | undefined;
}

/** What speaks against a path that ends at an anchor (RFC 5280, 6.1; the anchor too is held to what it says of itself: RFC 5937). */
export function faultsOfPath(path: readonly Certificate[], as: JudgedAs): Fault[] {
  const [leaf, ...issuers] = path;
  if (leaf === undefined) return [];
  const below = issuers.length === 0 ? path : path.slice(0, -1);
  return [
    ...below.flatMap((certificate) => validityFaults(certificate, as)),
    ...invalid(leaf, leafObjections(leaf, as.usage)),
    ...issuers.flatMap((issuer, index) => invalid(issuer, issuerObjections(path, index + 1))),
    ...below.flatMap((certificate) => invalid(certificate, extensionObjections(certificate))),
    ...path.flatMap((certificate) => weak(certificate, keyWeaknesses(certificate))),
    ...path.slice(0, -1).flatMap((certificate) => weak(certificate, signatureWeaknesses(certificate))),
  ];
}

/** What speaks against a certificate for which nobody vouches: what it says of itself; those above it say nothing. */
export function faultsOfStranger(leaf: Certificate, as: JudgedAs): Fault[] {
  return [
    ...validityFaults(leaf, as),
    ...invalid(leaf, leafObjections(leaf, as.usage)),
    ...invalid(leaf, extensionObjections(leaf)),
    ...weak(leaf, keyWeaknesses(leaf)),
  ];
}

function validityFaults(certificate: Certificate, { time, madeAfter }: JudgedAs): Fault[] {
  const { validFromDate: notBefore, validToDate: notAfter } = certificate.x509;
  const name = `The certificate of “${displayName(certificate)}”`;
  if (time < notBefore)
    return [
      { code: 'CERTIFICATE_NOT_YET_VALID', message: `${name} is valid from ${day(notBefore)} on only.` },
    ];
  if (time <= notAfter) return [];
  if (madeAfter !== undefined && madeAfter > notAfter)
    return [
      {
        code: 'SIGNED_AFTER_EXPIRY',
        message: `${name} expired on ${day(notAfter)}; what was signed has a time-stamp of ${day(madeAfter)}.`,
      },
    ];
  return [
    {
      code: 'CERTIFICATE_EXPIRED',
      message: `${name} expired on ${day(notAfter)}, and nothing proves that the signature is older.`,
    },
  ];
}

const day = (date: Date): string => date.toISOString().slice(0, 10);

const invalid = (certificate: Certificate, objections: Generator<string>): Fault[] =>
  faultsBy('CHAIN_INVALID', certificate, objections);

const weak = (certificate: Certificate, weaknesses: Generator<string>): Fault[] =>
  faultsBy('WEAK_ALGORITHM', certificate, weaknesses);

/** Objections as faults; a certificate that cannot be read is one that may not be relied on. */
function faultsBy(code: Fault['code'], certificate: Certificate, objections: Generator<string>): Fault[] {
  const name = `The certificate of “${displayName(certificate)}”`;
  const faults: Fault[] = [];
  try {
    for (const objection of objections) faults.push({ code, message: `${name} ${objection}.` });
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    faults.push({ code: 'CHAIN_INVALID', message: `${name} has a part that cannot be read.` });
  }
  return faults;
}

function* leafObjections(leaf: Certificate, usage: PathUsage): Generator<string> {
  const keyUsage = readKeyUsage(leaf);
  if (keyUsage !== undefined && (keyUsage & SIGNS) === 0) yield 'is not for signing';
  if (usage === 'timestamping') {
    if (!hasExtendedKeyUsage(leaf, OID.timeStamping, true)) yield 'is not one for time-stamping alone';
    return;
  }
  const extension = leaf.extensions.get(EXTENDED_KEY_USAGE);
  const purposes = extension === undefined ? [] : readSequence(readDer(extension.value)).map(readOid);
  // For clients alone are cards of people; with that of servers it is the certificate of a machine.
  const isMachine = purposes.includes(SERVER);
  const isForOthers = (purpose: string) =>
    NOT_FOR_DOCUMENTS.has(purpose) || (isMachine && purpose === CLIENT);
  if (purposes.length > 0 && purposes.every(isForOthers)) yield 'is not for signing documents';
}

function* issuerObjections(path: readonly Certificate[], index: number): Generator<string> {
  const issuer = path[index];
  if (issuer === undefined) return;
  const isAnchor = index === path.length - 1;
  const { isAuthority, pathLength } = readBasicConstraints(issuer, isAnchor);
  if (!isAuthority) yield 'is not that of an authority, and signed another';
  const keyUsage = readKeyUsage(issuer);
  if (keyUsage !== undefined && (keyUsage & SIGNS_CERTIFICATES) === 0)
    yield 'is not for signing certificates, and signed one';
  const between = path.slice(1, index).filter((one) => !isSelfIssued(one)).length;
  if (pathLength !== undefined && between > pathLength)
    yield `permits ${pathLength} authorities below it, and has ${between}`;
  const subjects = path.slice(0, index).filter((one, place) => place === 0 || !isSelfIssued(one));
  if (subjects.some((one) => !isWithinConstraints(one, issuer)))
    yield 'does not permit the names of one below it';
}

const isSelfIssued = ({ subject, issuer }: Certificate): boolean => subject.equals(issuer);

/**
 * RFC 5280, 4.2.1.9. Certificates of old do not say whether they are of an authority: such anchors are, by the word of whoever
 * names them.
 */
function readBasicConstraints(
  certificate: Certificate,
  isAnchor: boolean,
): { isAuthority: boolean; pathLength?: number } {
  const { extensions } = certificate;
  const extension = extensions.get(OID.basicConstraints);
  if (extension === undefined)
    return { isAuthority: isAnchor && (extensions.size === 0 || readKeyUsage(certificate) !== undefined) };
  const fields = readSequence(readDer(extension.value));
  const length = fields.find(({ tag }) => tag === 0x02);
  const isAuthority = fields[0]?.tag === 0x01 && fields[0].content[0] !== 0;
  return { isAuthority, ...(length && { pathLength: readNumber(length) }) };
}

function* extensionObjections({ extensions }: Certificate): Generator<string> {
  for (const [id, { isCritical }] of extensions)
    if (isCritical && !UNDERSTOOD.has(id))
      yield `has the critical extension ${id.slice(0, 40)}, which is not known here`;
}

function* keyWeaknesses({ x509 }: Certificate): Generator<string> {
  const bits = rsaBits(x509.publicKey);
  if (bits < RSA_BITS_MIN) yield `has an RSA key of ${bits} bits`;
}

function* signatureWeaknesses({ signatureAlgorithm }: Certificate): Generator<string> {
  const scheme = whereSupported(() => readScheme(signatureAlgorithm, undefined));
  if (scheme?.family === 'DSA') yield 'is signed by DSA';
  else if (scheme?.hash !== undefined && isWeakHash(scheme.hash))
    yield `is signed by ${scheme.family} with ${hashName(scheme.hash)}`;
}
