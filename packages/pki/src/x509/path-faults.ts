import { DerError, readDer, readNumber, readOid, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import type { Fault } from '../fault.ts';
import { hashName, isWeakHash, readScheme, whereSupported } from './algorithms.ts';
import {
  type Certificate,
  displayName,
  hasExtendedKeyUsage,
  isAuthority,
  isSelfIssued,
  readKeyUsage,
} from './certificate.ts';
import { isWithinConstraints } from './name-constraints.ts';
import { type PolicyInputs, policyObjection } from './policies.ts';
import { keyWeakness } from './signature.ts';

const EXTENDED_KEY_USAGE = '2.5.29.37';
/**
 * Purposes of machines: servers, time-stamping authorities, OCSP responders. A certificate with no other purpose must
 * not sign documents.
 */
const SERVER = '1.3.6.1.5.5.7.3.1';
const CLIENT = '1.3.6.1.5.5.7.3.2';
const NOT_FOR_DOCUMENTS = new Set([SERVER, OID.timeStamping, '1.3.6.1.5.5.7.3.9']);
/** Bits of the first octet of KeyUsage, RFC 5280, 4.2.1.3. */
const SIGNS = 0x80 | 0x40;
const SIGNS_CERTIFICATES = 0x04;
const SIGNS_LISTS = 0x02;

/** Extensions that are processed here, or that do not affect the checks. */
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

type PathUsage = 'signing' | 'timestamping' | 'crl';

export interface JudgedAs {
  /** The latest time by which the signed data provably existed. */
  time: Date;
  usage: PathUsage;
  /** A time at which the signed data provably did not exist yet. */
  madeAfter?: Date | undefined;
  /** Without them any policy will do, and none is required. */
  policies?: PolicyInputs | undefined;
}

/** The faults of a path that ends at an anchor (RFC 5280, 6.1). The anchor's own constraints apply too (RFC 5937). */
export function faultsOfPath(path: readonly Certificate[], as: JudgedAs): Fault[] {
  const [leaf, ...issuers] = path;
  if (leaf === undefined) return [];
  const below = issuers.length === 0 ? path : path.slice(0, -1);
  return [
    ...below.flatMap((certificate) => validityFaults(certificate, as)),
    ...invalid(leaf, leafObjections(leaf, as.usage)),
    ...issuers.flatMap((issuer, index) => invalid(issuer, issuerObjections(path, index + 1, as.usage))),
    ...below.flatMap((certificate) => invalid(certificate, extensionObjections(certificate))),
    ...invalid(leaf, policyObjections(issuers.length === 0 ? [] : below, as.policies)),
    ...path.flatMap((certificate) => weak(certificate, keyWeaknesses(certificate))),
    ...path.slice(0, -1).flatMap((certificate) => signatureFaults(certificate)),
  ];
}

/** The faults of a certificate without a trusted path: only its own content is checked. */
export function faultsOfStranger(leaf: Certificate, as: JudgedAs): Fault[] {
  return [
    ...validityFaults(leaf, as),
    ...invalid(leaf, leafObjections(leaf, as.usage)),
    ...invalid(leaf, extensionObjections(leaf)),
    ...weak(leaf, keyWeaknesses(leaf)),
  ];
}

function validityFaults(certificate: Certificate, { time, madeAfter }: JudgedAs): Fault[] {
  const { notBefore, notAfter } = certificate;
  const name = `The certificate of “${displayName(certificate)}”`;
  if (time < notBefore)
    return [{ code: 'CERTIFICATE_NOT_YET_VALID', message: `${name} is not valid before ${day(notBefore)}.` }];
  if (time <= notAfter) return [];
  if (madeAfter !== undefined && madeAfter > notAfter)
    return [
      {
        code: 'SIGNED_AFTER_EXPIRY',
        message: `${name} expired on ${day(notAfter)}; the signed data have a time-stamp of ${day(madeAfter)}.`,
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

/** Converts objections to faults. An unreadable certificate must not be relied on. */
function faultsBy(code: Fault['code'], certificate: Certificate, objections: Generator<string>): Fault[] {
  const name = `The certificate of “${displayName(certificate)}”`;
  const faults: Fault[] = [];
  try {
    for (const objection of objections) faults.push({ code, message: `${name} ${objection}.` });
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    faults.push({ code: 'CHAIN_INVALID', message: `${name} has an unreadable part.` });
  }
  return faults;
}

/** The anchor is trusted by configuration, so its own policies do not count (RFC 5280, 6.1.1 (d)). */
function* policyObjections(below: readonly Certificate[], inputs?: PolicyInputs): Generator<string> {
  const objection = policyObjection(below.toReversed(), inputs);
  if (objection !== undefined) yield objection;
}

function* leafObjections(leaf: Certificate, usage: PathUsage): Generator<string> {
  const keyUsage = readKeyUsage(leaf);
  if (usage === 'crl') {
    if (keyUsage !== undefined && (keyUsage & SIGNS_LISTS) === 0) yield 'does not permit signing CRLs';
    return;
  }
  if (keyUsage !== undefined && (keyUsage & SIGNS) === 0) yield 'does not permit signing';
  if (usage === 'timestamping') {
    if (!hasExtendedKeyUsage(leaf, OID.timeStamping, true)) yield 'is not restricted to time-stamping';
    return;
  }
  if (isForOthersOnly(leaf, usage)) yield 'does not permit signing documents';
}

/** Whether all purposes that a certificate states are others than this one. An empty list permits nothing. */
function isForOthersOnly({ extensions }: Certificate, usage: PathUsage): boolean {
  const extension = extensions.get(EXTENDED_KEY_USAGE);
  if (extension === undefined || usage === 'crl') return false;
  const purposes = readSequence(readDer(extension.value)).map(readOid);
  // Certificates for clients alone are cards of people; with servers too it is the certificate of a machine.
  const isMachine = purposes.includes(SERVER);
  const isOther = (purpose: string) => NOT_FOR_DOCUMENTS.has(purpose) || (isMachine && purpose === CLIENT);
  const due = usage === 'timestamping' ? OID.timeStamping : undefined;
  return purposes.every((purpose) => purpose !== due && isOther(purpose));
}

function* issuerObjections(path: readonly Certificate[], index: number, usage: PathUsage): Generator<string> {
  const issuer = path[index];
  if (issuer === undefined) return;
  const isAnchor = index === path.length - 1;
  const { mayIssue, pathLength } = readBasicConstraints(issuer, isAnchor);
  if (!mayIssue) yield 'is not a CA certificate, and signed another certificate';
  const keyUsage = readKeyUsage(issuer);
  if (keyUsage !== undefined && (keyUsage & SIGNS_CERTIFICATES) === 0)
    yield 'does not permit signing certificates, and signed one';
  // RFC 5280, 4.2.1.12 has purposes of end entities; authorities for servers state them to limit what they certify.
  if (!isAnchor && isForOthersOnly(issuer, usage))
    yield 'permits other purposes only, and signed a certificate';
  const between = path.slice(1, index).filter((one) => !isSelfIssued(one)).length;
  if (pathLength !== undefined && between > pathLength)
    yield `permits ${pathLength} authorities below it, and has ${between}`;
  const subjects = path.slice(0, index).filter((one, place) => place === 0 || !isSelfIssued(one));
  if (subjects.some((one) => !isWithinConstraints(one, issuer)))
    yield 'does not permit the names in a certificate below it';
}

/**
 * RFC 5280, 4.2.1.9. Old certificates do not state whether they are a CA. Such an anchor is one, because the caller
 * names it.
 */
function readBasicConstraints(
  certificate: Certificate,
  isAnchor: boolean,
): { mayIssue: boolean; pathLength?: number } {
  const { extensions } = certificate;
  const extension = extensions.get(OID.basicConstraints);
  if (extension === undefined)
    return { mayIssue: isAnchor && (extensions.size === 0 || readKeyUsage(certificate) !== undefined) };
  const fields = readSequence(readDer(extension.value));
  const length = fields.find(({ tag }) => tag === 0x02);
  return { mayIssue: isAuthority(certificate), ...(length && { pathLength: readNumber(length) }) };
}

function* extensionObjections({ extensions }: Certificate): Generator<string> {
  for (const [id, { isCritical }] of extensions)
    if (isCritical && !UNDERSTOOD.has(id)) yield `has the unknown critical extension ${id.slice(0, 40)}`;
}

function* keyWeaknesses({ x509 }: Certificate): Generator<string> {
  const weakness = keyWeakness(x509.publicKey);
  if (weakness !== undefined) yield `has ${weakness}`;
}

function signatureFaults(certificate: Certificate): Fault[] {
  const faults = weak(certificate, signatureWeaknesses(certificate));
  return faults.map((each) =>
    each.code === 'WEAK_ALGORITHM' && isSignedWithSha1(certificate) ? { ...each, isSha1: true } : each,
  );
}

function isSignedWithSha1({ signatureAlgorithm }: Certificate): boolean {
  const scheme = whereSupported(() => readScheme(signatureAlgorithm, undefined));
  return scheme?.hash === 'sha1' && scheme.family !== 'DSA';
}

function* signatureWeaknesses({ signatureAlgorithm }: Certificate): Generator<string> {
  const scheme = whereSupported(() => readScheme(signatureAlgorithm, undefined));
  if (scheme === undefined) yield 'is signed with an algorithm that is not supported';
  else if (scheme.family === 'DSA') yield 'is signed with DSA';
  else if (scheme.hash !== undefined && isWeakHash(scheme.hash))
    yield `is signed with ${scheme.family} and ${hashName(scheme.hash)}`;
}
