import type { X509Certificate } from 'node:crypto';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { distinguishedName, issuerSerial } from '@scriptorium/pki/certificates';
import type { HashAlgorithm } from '@scriptorium/pki/keys';
import type { Document, Element } from '@xmldom/xmldom';
import { DIGEST_URIS, digest } from './algorithms.ts';
import { C14N } from './c14n.ts';
import { decimalSerial } from './signer-certificate.ts';
import { childrenOf, DSIG, XADES } from './xml-dom.ts';

export const SIGNED_PROPERTIES_ID = 'idSignedProperties';
export const SIGNED_PROPERTIES_TYPE = 'http://uri.etsi.org/01903#SignedProperties';

/** Readers of `SigningTime` and of `SignatureTime` agree only on whole seconds. */
export function isoSeconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/**
 * Writes the qualifying properties of a baseline signature (EN 319 132-1 §6.3, level B-B). The certificate is named twice:
 * EN 319 132-1 requires `SigningCertificateV2`, and Office reads `SigningCertificate` (MS-OFFCRYPTO §2.5.2.6).
 * `objects` are the ids of the references to the signed content.
 */
export function writeQualifyingProperties(
  signatureId: string,
  certificate: X509Certificate,
  hash: HashAlgorithm,
  time: Date,
  objects: readonly string[],
): string {
  const certDigest =
    `<xd:CertDigest><DigestMethod Algorithm="${DIGEST_URIS[hash]}"/>` +
    `<DigestValue>${digest(hash, certificate.raw).toString('base64')}</DigestValue></xd:CertDigest>`;
  const formats = objects.map(
    (id) =>
      `<xd:DataObjectFormat ObjectReference="#${id}"><xd:MimeType>text/xml</xd:MimeType></xd:DataObjectFormat>`,
  );
  return (
    `<xd:QualifyingProperties xmlns:xd="${XADES}" Target="#${signatureId}"><xd:SignedProperties Id="${SIGNED_PROPERTIES_ID}">` +
    `<xd:SignedSignatureProperties><xd:SigningTime>${isoSeconds(time)}</xd:SigningTime>` +
    `<xd:SigningCertificate><xd:Cert>${certDigest}<xd:IssuerSerial>` +
    `<X509IssuerName>${escapeXml(distinguishedName(certificate.issuer))}</X509IssuerName>` +
    `<X509SerialNumber>${decimalSerial(certificate)}</X509SerialNumber></xd:IssuerSerial></xd:Cert></xd:SigningCertificate>` +
    `<xd:SigningCertificateV2><xd:Cert>${certDigest}` +
    `<xd:IssuerSerialV2>${issuerSerial(certificate).toString('base64')}</xd:IssuerSerialV2></xd:Cert></xd:SigningCertificateV2>` +
    '<xd:SignaturePolicyIdentifier><xd:SignaturePolicyImplied/></xd:SignaturePolicyIdentifier></xd:SignedSignatureProperties>' +
    `<xd:SignedDataObjectProperties>${formats.join('')}</xd:SignedDataObjectProperties>` +
    '</xd:SignedProperties></xd:QualifyingProperties>'
  );
}

const qualifyingProperties = (signature: Element): Element | undefined =>
  childrenOf(signature, DSIG, 'Object')
    .flatMap((object) => childrenOf(object, XADES, 'QualifyingProperties'))
    .at(0);

/** Whether a signature has the properties of XAdES. */
export const isXades = (signature: Element): boolean => qualifyingProperties(signature) !== undefined;

const childrenBelow = (parents: readonly Element[], name: string): Element[] =>
  parents.flatMap((parent) => childrenOf(parent, XADES, name));

const unsignedProperties = (properties: readonly Element[]): Element[] =>
  childrenBelow(childrenBelow(properties, 'UnsignedProperties'), 'UnsignedSignatureProperties');

/** Whether a signature has a time-stamp over its value. It is not checked. */
export function hasSignatureTimeStamp(signature: Element): boolean {
  const properties = qualifyingProperties(signature);
  return (
    properties !== undefined &&
    childrenBelow(unsignedProperties([properties]), 'SignatureTimeStamp').length > 0
  );
}

/** Adds a time-stamp over the signature value to the unsigned properties (EN 319 132-1 §5.3, level B-T). */
export function addSignatureTimeStamp(document: Document, signature: Element, token: Buffer): void {
  const properties = qualifyingProperties(signature);
  if (properties === undefined) throw new Error('the signature has no qualifying properties');
  const add = (parent: Element, namespace: string, name: string) => {
    const element = document.createElementNS(namespace, name);
    parent.appendChild(element);
    return element;
  };
  const [unsigned = add(properties, XADES, 'xd:UnsignedProperties')] = childrenBelow(
    [properties],
    'UnsignedProperties',
  );
  const [list = add(unsigned, XADES, 'xd:UnsignedSignatureProperties')] = unsignedProperties([properties]);
  const stamp = add(list, XADES, 'xd:SignatureTimeStamp');
  stamp.setAttribute('Id', 'idSignatureTimeStamp');
  add(stamp, DSIG, 'CanonicalizationMethod').setAttribute('Algorithm', C14N);
  add(stamp, XADES, 'xd:EncapsulatedTimeStamp').textContent = token.toString('base64');
}
