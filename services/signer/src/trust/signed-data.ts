import { createHash } from 'node:crypto';
import { contextTag, TAG } from '../asn1/der.ts';
import {
  DerError,
  type DerValue,
  expectTag,
  readChildren,
  readDer,
  readOctetString,
  readOid,
  readOnlyChild,
  readSequence,
} from '../asn1/der-reader.ts';
import { type Certificate, readCertificate, subjectKeyIdentifier } from './certificate.ts';
import { type Digest, isSignatureOf, readDigest } from './signature.ts';

const SIGNED_DATA = '1.2.840.113549.1.7.2';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SUBJECT_KEY_IDENTIFIER = contextTag(0, false);
const CERTIFICATES_MAX = 20;

/** A SignedData of one signer (RFC 5652, 5). */
export interface SignedData {
  /** Object identifier of what is signed. */
  contentType: string;
  /** Undefined where it is detached, or there is none. */
  content: Buffer | undefined;
  certificates: Certificate[];
  signer: {
    identifier: DerValue;
    digest: Digest;
    /** As they are signed: a SET OF. */
    attributesDer: Buffer;
    /** The first value of each, by object identifier. */
    attributes: Map<string, DerValue>;
    signatureAlgorithm: DerValue;
    signature: Buffer;
  };
}

/** Reads a ContentInfo. Throws DerError, also for no or several signers, and for one who signs no attributes. */
export function readSignedData(der: Buffer): SignedData {
  const { fields } = readContentInfo(der);
  const [, , encapsulated, ...rest] = fields;
  const [contentType, content] = readSequence(encapsulated);
  const [signer, second] = readChildren(expectTag(rest.at(-1), TAG.set));
  if (signer === undefined || second !== undefined) throw new DerError('exactly one signer is due');
  return {
    contentType: readOid(contentType),
    content: content && readOctetString(readOnlyChild(content)),
    certificates: readCertificates(rest),
    signer: readSigner(signer),
  };
}

/** The certificates of a SignedData, whoever signed it: also of one that nobody signed (RFC 5652, 5.1). Throws DerError. */
export const readBundle = (der: Buffer): Certificate[] => readCertificates(readContentInfo(der).fields);

function readContentInfo(der: Buffer): { fields: DerValue[] } {
  const [type, wrapped] = readSequence(readDer(der));
  if (readOid(type) !== SIGNED_DATA) throw new DerError('signed data is due');
  return { fields: readSequence(readOnlyChild(expectTag(wrapped, contextTag(0)))) };
}

function readCertificates(fields: DerValue[]): Certificate[] {
  const set = fields.find(({ tag }) => tag === contextTag(0));
  // Beside certificates there may be attribute certificates and others, all of them tagged (RFC 5652, 10.2.2).
  const certificates = (set === undefined ? [] : readChildren(set)).filter(({ tag }) => tag === TAG.sequence);
  if (certificates.length > CERTIFICATES_MAX)
    throw new DerError(`more than ${CERTIFICATES_MAX} certificates`);
  return certificates.map(({ bytes }) => readCertificate(bytes));
}

function readSigner(value: DerValue): SignedData['signer'] {
  const [, identifier, digest, signed, signatureAlgorithm, signature] = readSequence(value);
  if (identifier === undefined) throw new DerError('a signer is due');
  const set = expectTag(signed, contextTag(0));
  return {
    identifier,
    digest: readDigest(digest),
    attributesDer: Buffer.concat([Buffer.of(TAG.set), set.bytes.subarray(1)]),
    attributes: readAttributes(set),
    signatureAlgorithm: expectTag(signatureAlgorithm, TAG.sequence),
    signature: readOctetString(signature),
  };
}

function readAttributes(set: DerValue): Map<string, DerValue> {
  const attributes = new Map<string, DerValue>();
  for (const attribute of readChildren(set)) {
    const [id, values] = readSequence(attribute);
    const name = readOid(id);
    if (attributes.has(name)) throw new DerError(`attribute ${name} comes twice`);
    const [first] = readChildren(expectTag(values, TAG.set));
    if (first !== undefined) attributes.set(name, first);
  }
  return attributes;
}

/** The certificate that the signer names as his; undefined where it is not among those in the data. */
export function findSigner({ signer, certificates }: SignedData): Certificate | undefined {
  const { identifier } = signer;
  if (identifier.tag === SUBJECT_KEY_IDENTIFIER)
    return certificates.find((one) => subjectKeyIdentifier(one)?.equals(identifier.content));
  const [issuer, serialNumber] = readSequence(identifier);
  return certificates.find(
    (one) =>
      issuer?.bytes.equals(one.issuer) === true && serialNumber?.content.equals(one.serialNumber) === true,
  );
}

/** Says why the signature over attached content does not hold; undefined where it does. Throws DerError. */
export function objectionToSignature(
  { signer, contentType, content }: SignedData,
  certificate: Certificate,
): string | undefined {
  if (content === undefined) return 'there is no content';
  const digest = createHash(signer.digest).update(content).digest();
  if (!readOctetString(signer.attributes.get(MESSAGE_DIGEST)).equals(digest))
    return 'the content is not what was signed';
  if (readOid(signer.attributes.get(CONTENT_TYPE)) !== contentType)
    return 'the type of the content is not what was signed';
  const signed = {
    algorithm: signer.signatureAlgorithm,
    signature: signer.signature,
    data: signer.attributesDer,
  };
  return isSignatureOf(signed, certificate.x509.publicKey, signer.digest)
    ? undefined
    : 'the signature is not that of the certificate';
}
