import { berValueAt } from '../asn1/ber.ts';
import { contextTag, setOf, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readChildren,
  readDer,
  readLeading,
  readNumber,
  readOctetString,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';

/** Covers the signers' certificates, their issuers, and those of time-stamps. */
const CERTIFICATES_MAX = 100;
const CERTIFICATES = contextTag(0);
const REVOCATION_INFO = contextTag(1);
const SIGNED_ATTRIBUTES = contextTag(0);
const UNSIGNED_ATTRIBUTES = contextTag(1);

/**
 * Signed attributes that must not come twice: RFC 5652, 11; RFC 5035, 5.4; EN 319 122-1, 5.2.9 (signature policy);
 * RFC 6211, 2 (algorithm protection). Others change nothing here, so they may.
 */
const SINGLE: ReadonlySet<string> = new Set([
  OID.contentType,
  OID.messageDigest,
  OID.signingTime,
  OID.signingCertificate,
  OID.signingCertificateV2,
  '1.2.840.113549.1.9.16.2.15',
  OID.algorithmProtection,
]);

/** All values of each attribute, keyed by object identifier. */
export type Attributes = ReadonlyMap<string, readonly DerValue[]>;

/** A SignedData with one signer (RFC 5652, 5). */
export interface SignedData {
  /** Object identifier of the signed content. */
  contentType: string;
  /** Undefined if the signature is detached, or has no content. */
  content: Buffer | undefined;
  /** The readable certificates. */
  certificates: Certificate[];
  /** RevocationInfoChoice (RFC 5652, 10.2.1), as encoded in the file. */
  revocationInfo: DerValue[];
  signer: SignerInfo;
}

export interface SignerInfo {
  identifier: DerValue;
  digestAlgorithm: DerValue;
  /** Undefined if the signature covers the content directly. */
  signed: SignedAttributes | undefined;
  signatureAlgorithm: DerValue;
  signature: Buffer;
  unsigned: Attributes;
}

export interface SignedAttributes {
  /** The encodings that may have been signed (RFC 5652, 5.4): the SET OF in the order received, and in DER order. */
  encodings: readonly Buffer[];
  attributes: Attributes;
}

/**
 * Reads a ContentInfo in BER or DER. Zeros may follow it, from the reserved space. Throws DerError, also for no or
 * several signers and for a repeated signed attribute that must be single.
 */
export function readSignedData(bytes: Buffer): SignedData {
  return readInEither(bytes, (value) => readContent(contentOf(value)));
}

/** The certificates of a SignedData with any number of signers, also none (RFC 5652, 5.1). Throws DerError. */
export const readBundle = (der: Buffer): Certificate[] => {
  const [, , , ...rest] = contentOf(readDer(der));
  return readCertificates(rest);
};

/** Reads DER as it is. Otherwise all of it is rewritten, since some writers stream it as BER. */
function readInEither<T>(bytes: Buffer, read: (value: DerValue) => T): T {
  try {
    const value = readLeading(bytes);
    refuseRest(bytes, value.bytes.length);
    return read(value);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
  }
  const { der, length } = berValueAt(bytes);
  refuseRest(bytes, length);
  return read(readDer(der));
}

function refuseRest(bytes: Buffer, offset: number): void {
  for (let index = offset; index < bytes.length; index++)
    if (bytes[index] !== 0) throw new DerError('bytes other than zeros follow the value');
}

function contentOf(value: DerValue): DerValue[] {
  const [type, wrapped] = readSequence(value);
  if (readOid(type) !== OID.signedData) throw new DerError('signed data expected');
  return readSequence(readOnlyChild(expectTag(wrapped, contextTag(0))));
}

function readContent([version, digests, encapsulated, ...rest]: DerValue[]): SignedData {
  readNumber(version);
  expectTag(digests, TAG.set);
  const [contentType, content] = readSequence(encapsulated);
  const [signer, second] = readChildren(expectTag(rest.pop(), TAG.set));
  if (signer === undefined || second !== undefined) throw new DerError('expected exactly one signer');
  refuseOthers(rest, [CERTIFICATES, REVOCATION_INFO]);
  const revocationInfo = rest.find(({ tag }) => tag === REVOCATION_INFO);
  return {
    contentType: readOid(contentType),
    content: content && readOctetString(readOnlyChild(expectTag(content, contextTag(0)))),
    certificates: readCertificates(rest),
    revocationInfo: revocationInfo ? readChildren(revocationInfo) : [],
    signer: readSigner(signer),
  };
}

/** Refuses repeated and misplaced values, which other readers may read differently. */
function refuseOthers(fields: readonly DerValue[], order: readonly number[]): void {
  let last = -1;
  for (const { tag } of fields) {
    const index = order.indexOf(tag);
    if (index <= last) throw new DerError(`unexpected tag ${tag.toString(16)}`);
    last = index;
  }
}

function readCertificates(fields: DerValue[]): Certificate[] {
  const set = fields.find(({ tag }) => tag === CERTIFICATES);
  // The set may also hold attribute certificates and others, all of them tagged (RFC 5652, 10.2.2).
  const certificates = (set === undefined ? [] : readChildren(set)).filter(({ tag }) => tag === TAG.sequence);
  if (certificates.length > CERTIFICATES_MAX)
    throw new DerError(`more than ${CERTIFICATES_MAX} certificates`);
  return certificates.flatMap(({ bytes }) => readWhereReadable(bytes));
}

/** Skips an unreadable certificate: the signature may not need it. */
function readWhereReadable(der: Buffer): Certificate[] {
  try {
    return [readCertificate(der)];
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

function readSigner(value: DerValue): SignerInfo {
  const [version, identifier, digestAlgorithm, ...rest] = readSequence(value);
  readNumber(version);
  if (identifier === undefined) throw new DerError('signer expected');
  const signed = rest[0]?.tag === SIGNED_ATTRIBUTES ? rest.shift() : undefined;
  const [signatureAlgorithm, signature, unsigned, ...others] = rest;
  refuseOthers(unsigned === undefined ? [] : [unsigned, ...others], [UNSIGNED_ATTRIBUTES]);
  return {
    identifier,
    digestAlgorithm: expectTag(digestAlgorithm, TAG.sequence),
    signed: signed && readSigned(signed),
    signatureAlgorithm: expectTag(signatureAlgorithm, TAG.sequence),
    signature: readOctetString(signature),
    unsigned: unsigned ? readAttributes(unsigned, new Set()) : new Map(),
  };
}

function readSigned(set: DerValue): SignedAttributes {
  const asSent = Buffer.concat([Buffer.of(TAG.set), set.bytes.subarray(1)]);
  const sorted = setOf(...readChildren(set).map(({ bytes }) => bytes));
  return {
    encodings: sorted.equals(asSent) ? [asSent] : [asSent, sorted],
    attributes: readAttributes(set, SINGLE),
  };
}

function readAttributes(set: DerValue, single: ReadonlySet<string>): Attributes {
  const attributes = new Map<string, DerValue[]>();
  for (const attribute of readChildren(set)) {
    const [id, values] = readSequence(attribute);
    const name = readOid(id);
    const before = attributes.get(name) ?? [];
    if (attributes.has(name) && single.has(name)) throw new DerError(`attribute ${name} repeated`);
    for (const value of readChildren(expectTag(values, TAG.set))) before.push(value);
    attributes.set(name, before);
  }
  return attributes;
}

/**
 * The only value of an attribute, or undefined if it is missing. Throws DerError if it has no value or several.
 */
export function onlyValue(attributes: Attributes | undefined, id: string): DerValue | undefined {
  const values = attributes?.get(id);
  if (values !== undefined && values.length !== 1)
    throw new DerError(`attribute ${id} does not have exactly one value`);
  return values?.[0];
}
