import { X509Certificate } from 'node:crypto';
import { contextTag, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readBitString,
  readChildren,
  readDer,
  readOctetString,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { isSameName } from './same-name.ts';
import { readTime } from './time.ts';

export interface Extension {
  isCritical: boolean;
  /** The content of the OCTET STRING. */
  value: Buffer;
}

/** A certificate (RFC 5280), with the fields that node:crypto does not expose. */
export interface Certificate {
  der: Buffer;
  x509: X509Certificate;
  /** Octets of the serial number, as encoded. */
  serialNumber: Buffer;
  /** The AlgorithmIdentifier of the issuer's signature. */
  signatureAlgorithm: DerValue;
  notBefore: Date;
  notAfter: Date;
  /** Names in DER. */
  issuer: Buffer;
  subject: Buffer;
  /** The bits of the public key, which key identifiers hash. */
  keyBits: Buffer;
  /** Keyed by object identifier. */
  extensions: ReadonlyMap<string, Extension>;
}

const EXTENDED_KEY_USAGE = '2.5.29.37';
const EXTENSIONS_MAX = 100;
/** RFC 5280, appendix A: ub-common-name is 64. */
const NAME_LENGTH_MAX = 100;

/** Wraps a certificate of node:crypto. Throws DerError. */
export function certificateOf(x509: X509Certificate): Certificate {
  return readParts(x509.raw, x509);
}

/** Throws DerError. */
export function readCertificate(der: Buffer): Certificate {
  return readParts(der, openCertificate(der));
}

/** Undefined if the certificate is unreadable. */
export function tryReadCertificate(der: Buffer): Certificate | undefined {
  try {
    return readCertificate(der);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function readParts(der: Buffer, x509: X509Certificate): Certificate {
  const [body, signatureAlgorithm] = readSequence(readDer(der));
  const fields = readSequence(body);
  const [serialNumber, , issuer, validity, subject, publicKey] =
    fields[0]?.tag === contextTag(0) ? fields.slice(1) : fields;
  const extensions = fields.find(({ tag }) => tag === contextTag(3));
  return {
    der,
    x509,
    serialNumber: expectTag(serialNumber, TAG.integer).content,
    signatureAlgorithm: expectTag(signatureAlgorithm, TAG.sequence),
    ...readValidity(validity),
    issuer: expectTag(issuer, TAG.sequence).bytes,
    subject: expectTag(subject, TAG.sequence).bytes,
    keyBits: readBitString(readSequence(publicKey)[1]),
    extensions: readExtensions(extensions && readOnlyChild(extensions)),
  };
}

function openCertificate(der: Buffer): X509Certificate {
  try {
    const certificate = new X509Certificate(der);
    // Reading a key of a type that OpenSSL does not support throws, and should do so here.
    if (certificate.publicKey.type === 'public') return certificate;
  } catch {
    // Falls through to the error below.
  }
  throw new DerError('unreadable certificate');
}

/** The dates of node:crypto are not read: for an invalid time, it returns any date. */
function readValidity(validity: DerValue | undefined): Pick<Certificate, 'notBefore' | 'notAfter'> {
  const [notBefore, notAfter] = readSequence(validity);
  return { notBefore: readTime(notBefore), notAfter: readTime(notAfter) };
}

/**
 * Reads Extensions (RFC 5280, 4.1) of a certificate, CRL or OCSP response. Throws DerError, also for a repeated one.
 */
export function readExtensions(value: DerValue | undefined): Map<string, Extension> {
  const extensions = new Map<string, Extension>();
  for (const each of value === undefined ? [] : readSequence(value)) {
    const fields = readSequence(each);
    const id = readOid(fields[0]);
    if (extensions.has(id) || extensions.size === EXTENSIONS_MAX)
      throw new DerError('repeated extension, or too many of them');
    const isCritical = fields[1]?.tag === TAG.boolean && fields[1].content[0] !== 0;
    extensions.set(id, { isCritical, value: readOctetString(fields.at(-1)) });
  }
  return extensions;
}

/** Whether a certificate permits `usage`, an object identifier; with `isOnly`, nothing else. */
export function hasExtendedKeyUsage(certificate: Certificate, usage: string, isOnly = false): boolean {
  const extension = certificate.extensions.get(EXTENDED_KEY_USAGE);
  if (extension === undefined) return false;
  const usages = readSequence(readDer(extension.value)).map(readOid);
  return isOnly ? extension.isCritical && usages.length === 1 && usages[0] === usage : usages.includes(usage);
}

/**
 * The first octet of the KeyUsage bits (RFC 5280, 4.2.1.3); undefined if the extension is absent. Throws DerError.
 */
export function readKeyUsage({ extensions }: Certificate): number | undefined {
  const extension = extensions.get(OID.keyUsage);
  return extension && (readBitString(readDer(extension.value))[0] ?? 0);
}

export function isValidAt({ notBefore, notAfter }: Certificate, time: Date): boolean {
  return notBefore <= time && time <= notAfter;
}

/** Whether basicConstraints say that it is a CA, whatever its key usage is (RFC 5280, 4.2.1.9). Throws DerError. */
export function isAuthority({ extensions }: Certificate): boolean {
  const extension = extensions.get(OID.basicConstraints);
  const [first] = extension === undefined ? [] : readSequence(readDer(extension.value));
  return first?.tag === TAG.boolean && first.content[0] !== 0;
}

/** Whether `issuer` signed `certificate` and may sign certificates. */
export function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  if (!isSameName(certificate.issuer, issuer.subject) || !certificate.x509.checkIssued(issuer.x509))
    return false;
  return issuer.x509.ca && isSignedBy(certificate, issuer);
}

/** Whether subject and issuer are the same (RFC 5280, 3.2). */
export const isSelfIssued = ({ subject, issuer }: Certificate): boolean => isSameName(subject, issuer);

/** Whether it is signed by its own key. */
export function isSelfSigned(certificate: Certificate): boolean {
  return isSelfIssued(certificate) && isSignedBy(certificate, certificate);
}

/** Whether the key of `issuer` signed `certificate`, regardless of what the issuer may do. */
export function isSignedBy({ x509 }: Certificate, issuer: Certificate): boolean {
  try {
    return x509.verify(issuer.x509.publicKey);
  } catch {
    // The key type does not fit the signature.
    return false;
  }
}

/** The subject key identifier (RFC 5280, 4.2.1.2); undefined if it is absent. */
export function subjectKeyIdentifier({ extensions }: Certificate): Buffer | undefined {
  const extension = extensions.get(OID.subjectKeyIdentifier);
  return extension && readOctetString(readDer(extension.value));
}

/** A short display name: common name, full subject, or alternative names, on one line. */
export function displayName({ x509 }: Certificate): string {
  // Undefined if the subject has no parts, despite the types (RFC 5280, 4.1.2.6).
  const subject: string | undefined = x509.subject;
  const lines = (subject ?? x509.subjectAltName ?? '').split('\n');
  const name = lines.find((line) => line.startsWith('CN='))?.slice('CN='.length) ?? lines.join(', ');
  return name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ').slice(0, NAME_LENGTH_MAX);
}

/**
 * Converts a name of node:crypto, one line per part from the country down, to RFC 4514: `CN=…,O=…,C=…`. The parts are
 * escaped already. A name without parts is undefined there, despite the types.
 */
export function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').toReversed().join(',');
}

/** The http and https URIs in a GeneralNames (RFC 5280, 4.2.1.6). */
export function httpUris(names: DerValue): string[] {
  return readChildren(names).flatMap(httpUri);
}

const URI = contextTag(6, false);

/** The URI in a GeneralName, if its scheme is http or https. */
export function httpUri(name: DerValue | undefined): string[] {
  if (name?.tag !== URI) return [];
  const text = name.content.toString('latin1');
  return /^https?:\/\//i.test(text) ? [text] : [];
}
