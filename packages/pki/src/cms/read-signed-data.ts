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

/** Signers bring their own with its issuers, and those of time-stamps. */
const CERTIFICATES_MAX = 100;
const CERTIFICATES = contextTag(0);
const REVOCATION_INFO = contextTag(1);
const SIGNED_ATTRIBUTES = contextTag(0);
const UNSIGNED_ATTRIBUTES = contextTag(1);

/** All values of each attribute, by object identifier. */
export type Attributes = ReadonlyMap<string, readonly DerValue[]>;

/** A SignedData of one signer (RFC 5652, 5). */
export interface SignedData {
  /** Object identifier of what is signed. */
  contentType: string;
  /** Undefined where it is detached, or there is none. */
  content: Buffer | undefined;
  /** Those that can be read. */
  certificates: Certificate[];
  /** RevocationInfoChoice (RFC 5652, 10.2.1), each as it came. */
  revocationInfo: DerValue[];
  signer: SignerInfo;
}

export interface SignerInfo {
  identifier: DerValue;
  digestAlgorithm: DerValue;
  /** Undefined where the content is signed by itself. */
  signed: SignedAttributes | undefined;
  signatureAlgorithm: DerValue;
  signature: Buffer;
  unsigned: Attributes;
}

export interface SignedAttributes {
  /** What may have been signed (RFC 5652, 5.4): the SET OF in the order that it came in, and in that of DER. */
  encodings: readonly Buffer[];
  attributes: Attributes;
}

/**
 * Reads a ContentInfo in BER or DER, behind which there may be zeros: the room that was left for it. Throws DerError,
 * also for no or several signers, and for a signed attribute that comes twice.
 */
export function readSignedData(bytes: Buffer): SignedData {
  return readInEither(bytes, (value) => readContent(contentOf(value)));
}

/** The certificates of a SignedData, whoever signed it: also of one that nobody signed (RFC 5652, 5.1). Throws DerError. */
export const readBundle = (der: Buffer): Certificate[] => {
  const [, , , ...rest] = contentOf(readDer(der));
  return readCertificates(rest);
};

/** As DER where it is, whatever else its parts hold; else all of it rewritten, as writers that stream make it necessary. */
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
  if (readOid(type) !== OID.signedData) throw new DerError('signed data is due');
  return readSequence(readOnlyChild(expectTag(wrapped, contextTag(0))));
}

function readContent([version, digests, encapsulated, ...rest]: DerValue[]): SignedData {
  readNumber(version);
  expectTag(digests, TAG.set);
  const [contentType, content] = readSequence(encapsulated);
  const [signer, second] = readChildren(expectTag(rest.pop(), TAG.set));
  if (signer === undefined || second !== undefined) throw new DerError('exactly one signer is due');
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

/** What comes twice, or where nobody looks for it, others may read differently. */
function refuseOthers(fields: readonly DerValue[], order: readonly number[]): void {
  let last = -1;
  for (const { tag } of fields) {
    const index = order.indexOf(tag);
    if (index <= last) throw new DerError(`tag ${tag.toString(16)} is not due`);
    last = index;
  }
}

function readCertificates(fields: DerValue[]): Certificate[] {
  const set = fields.find(({ tag }) => tag === CERTIFICATES);
  // Beside certificates there may be attribute certificates and others, all of them tagged (RFC 5652, 10.2.2).
  const certificates = (set === undefined ? [] : readChildren(set)).filter(({ tag }) => tag === TAG.sequence);
  if (certificates.length > CERTIFICATES_MAX)
    throw new DerError(`more than ${CERTIFICATES_MAX} certificates`);
  return certificates.flatMap(({ bytes }) => readWhereReadable(bytes));
}

/** A certificate that is of no use here may be one that others need. */
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
  if (identifier === undefined) throw new DerError('a signer is due');
  const signed = rest[0]?.tag === SIGNED_ATTRIBUTES ? rest.shift() : undefined;
  const [signatureAlgorithm, signature, unsigned, ...others] = rest;
  refuseOthers(unsigned === undefined ? [] : [unsigned, ...others], [UNSIGNED_ATTRIBUTES]);
  return {
    identifier,
    digestAlgorithm: expectTag(digestAlgorithm, TAG.sequence),
    signed: signed && readSigned(signed),
    signatureAlgorithm: expectTag(signatureAlgorithm, TAG.sequence),
    signature: readOctetString(signature),
    unsigned: unsigned ? readAttributes(unsigned, true) : new Map(),
  };
}

function readSigned(set: DerValue): SignedAttributes {
  const asSent = Buffer.concat([Buffer.of(TAG.set), set.bytes.subarray(1)]);
  const sorted = setOf(...readChildren(set).map(({ bytes }) => bytes));
  return {
    encodings: sorted.equals(asSent) ? [asSent] : [asSent, sorted],
    attributes: readAttributes(set, false),
  };
}

function readAttributes(set: DerValue, mayRepeat: boolean): Attributes {
  const attributes = new Map<string, DerValue[]>();
  for (const attribute of readChildren(set)) {
    const [id, values] = readSequence(attribute);
    const name = readOid(id);
    const before = attributes.get(name) ?? [];
    if (attributes.has(name) && !mayRepeat) throw new DerError(`attribute ${name} comes twice`);
    for (const value of readChildren(expectTag(values, TAG.set))) before.push(value);
    attributes.set(name, before);
  }
  return attributes;
}

/** The one value of an attribute; undefined where there is no such attribute. Throws DerError where it has none or several. */
export function onlyValue(attributes: Attributes | undefined, id: string): DerValue | undefined {
  const values = attributes?.get(id);
  if (values !== undefined && values.length !== 1) throw new DerError(`attribute ${id} has not one value`);
  return values?.[0];
}
