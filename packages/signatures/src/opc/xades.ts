import type { X509Certificate } from 'node:crypto';
import { escapeXml } from '@scriptorium/ooxml/xml';
import { distinguishedName, issuerSerial } from '@scriptorium/pki/certificates';
import type { HashAlgorithm } from '@scriptorium/pki/keys';
import type { Element, Node } from '@xmldom/xmldom';
import { DIGEST_URIS, digest } from './algorithms.ts';
import { C14N } from './c14n.ts';
import { decimalSerial } from './signer-certificate.ts';
import { childrenOf, DSIG, isElement, XADES } from './xml-dom.ts';

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

const XMLNS = 'http://www.w3.org/2000/xmlns/';

/** Returns a prefix of a namespace that is in scope, `''` for the default one; undefined if there is none. */
function prefixInScope(element: Element, namespace: string): string | undefined {
  const hidden = new Set<string>();
  for (let node: Node | null = element; isElement(node); node = node.parentNode) {
    const { attributes } = node;
    for (let at = 0; at < attributes.length; at++) {
      const attribute = attributes.item(at);
      if (attribute?.namespaceURI !== XMLNS) continue;
      const prefix = attribute.name === 'xmlns' ? '' : attribute.name.slice('xmlns:'.length);
      if (!hidden.has(prefix) && attribute.value === namespace) return prefix;
      hidden.add(prefix);
    }
  }
  return undefined;
}

/** Appends an element. Declares its namespace if no prefix of it is in scope: other programs use their own. */
function append(parent: Element, namespace: string, name: string): Element {
  const document = parent.ownerDocument;
  if (document === null) throw new Error('the signature has no document');
  const prefix = prefixInScope(parent, namespace);
  const element = document.createElementNS(namespace, prefix ? `${prefix}:${name}` : name);
  if (prefix === undefined) element.setAttributeNS(XMLNS, 'xmlns', namespace);
  parent.appendChild(element);
  return element;
}

/**
 * Adds a time-stamp over the signature value to the unsigned properties (EN 319 132-1 §5.3, level B-T), as a token in DER
 * (MS-OFFCRYPTO §2.5.2.6). It has no Id: nothing refers to it, and a second one must not share it.
 */
export function addSignatureTimeStamp(signature: Element, token: Buffer): void {
  const [properties] = childrenOf(signature, DSIG, 'Object').flatMap((object) =>
    childrenOf(object, XADES, 'QualifyingProperties'),
  );
  if (properties === undefined) throw new Error('the signature has no qualifying properties');
  const below = (parent: Element, name: string): Element =>
    childrenOf(parent, XADES, name)[0] ?? append(parent, XADES, name);
  const stamp = append(
    below(below(properties, 'UnsignedProperties'), 'UnsignedSignatureProperties'),
    XADES,
    'SignatureTimeStamp',
  );
  append(stamp, DSIG, 'CanonicalizationMethod').setAttribute('Algorithm', C14N);
  append(stamp, XADES, 'EncapsulatedTimeStamp').textContent = token.toString('base64');
}
