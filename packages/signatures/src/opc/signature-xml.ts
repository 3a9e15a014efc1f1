import type { X509Certificate } from 'node:crypto';
import { escapeXml } from '@scriptorium/ooxml/xml';
import type { HashAlgorithm, SignatureAlgorithm } from '@scriptorium/pki/keys';
import type { Element } from '@xmldom/xmldom';
import { DIGEST_URIS, digest, signatureUri } from './algorithms.ts';
import { C14N, canonicalize } from './c14n.ts';
import {
  isoSeconds,
  SIGNED_PROPERTIES_ID,
  SIGNED_PROPERTIES_TYPE,
  writeQualifyingProperties,
} from './xades.ts';
import { childrenOf, DSIG, indexIds, MDSSI, OFFICE_DIGSIG, onlyChild, parseDom } from './xml-dom.ts';

/** Ids that Office looks for (MS-OFFCRYPTO §2.5.2.2 to §2.5.2.6). */
const SIGNATURE_ID = 'idPackageSignature';
const PACKAGE_OBJECT_ID = 'idPackageObject';
const OFFICE_OBJECT_ID = 'idOfficeObject';
const OBJECT_TYPE = `${DSIG}Object`;

/** What a signature states about itself. */
export interface Statement {
  /** The signer's certificate first, then its issuers as far as known. */
  certificates: readonly [X509Certificate, ...X509Certificate[]];
  algorithm: SignatureAlgorithm;
  hash: HashAlgorithm;
  signingTime: Date;
  /** Shown as the purpose of signing; at most 255 characters. */
  comments: string;
  /** Shown as the signer's name; at most 100 characters. */
  text: string;
}

/** Order and form by MS-OFFCRYPTO §2.5.2.5; a signature of type 1 has no signature line. */
function writeOfficeObject({ comments, text }: Statement): string {
  return (
    `<Object Id="${OFFICE_OBJECT_ID}"><SignatureProperties><SignatureProperty Id="idOfficeV1Details" Target="#${SIGNATURE_ID}">` +
    `<SignatureInfoV1 xmlns="${OFFICE_DIGSIG}"><SetupID/><SignatureText>${escapeXml(text)}</SignatureText><SignatureImage/>` +
    `<SignatureComments>${escapeXml(comments)}</SignatureComments><WindowsVersion>10.0</WindowsVersion>` +
    '<OfficeVersion>16.0</OfficeVersion><ApplicationVersion>16.0</ApplicationVersion><Monitors>1</Monitors>' +
    '<HorizontalResolution>1920</HorizontalResolution><VerticalResolution>1080</VerticalResolution>' +
    '<ColorDepth>32</ColorDepth><SignatureProviderId>{00000000-0000-0000-0000-000000000000}</SignatureProviderId>' +
    '<SignatureProviderUrl/><SignatureProviderDetails>9</SignatureProviderDetails><SignatureType>1</SignatureType>' +
    '</SignatureInfoV1></SignatureProperty></SignatureProperties></Object>'
  );
}

function writePackageObject(manifest: string, { signingTime }: Statement): string {
  return (
    `<Object Id="${PACKAGE_OBJECT_ID}">${manifest}<SignatureProperties>` +
    `<SignatureProperty Id="idSignatureTime" Target="#${SIGNATURE_ID}"><mdssi:SignatureTime xmlns:mdssi="${MDSSI}">` +
    `<mdssi:Format>YYYY-MM-DDThh:mm:ssTZD</mdssi:Format><mdssi:Value>${isoSeconds(signingTime)}</mdssi:Value>` +
    '</mdssi:SignatureTime></SignatureProperty></SignatureProperties></Object>'
  );
}

const REFERENCES = [
  { id: 'idPackageReference', target: PACKAGE_OBJECT_ID, type: OBJECT_TYPE },
  { id: 'idOfficeReference', target: OFFICE_OBJECT_ID, type: OBJECT_TYPE },
  { id: 'idPropertiesReference', target: SIGNED_PROPERTIES_ID, type: SIGNED_PROPERTIES_TYPE },
];

function writeSignedInfo({ algorithm, hash }: Statement): string {
  const references = REFERENCES.map(
    ({ id, target, type }) =>
      `<Reference Id="${id}" Type="${type}" URI="#${target}"><Transforms><Transform Algorithm="${C14N}"/></Transforms>` +
      `<DigestMethod Algorithm="${DIGEST_URIS[hash]}"/><DigestValue></DigestValue></Reference>`,
  );
  return (
    `<SignedInfo><CanonicalizationMethod Algorithm="${C14N}"/>` +
    `<SignatureMethod Algorithm="${signatureUri(algorithm, hash)}"/>${references.join('')}</SignedInfo>`
  );
}

function fillDigests(signature: Element, hash: HashAlgorithm): void {
  const signedInfo = onlyChild(signature, DSIG, 'SignedInfo');
  const ids = indexIds(signature);
  for (const reference of signedInfo ? childrenOf(signedInfo, DSIG, 'Reference') : []) {
    const target = ids.get(reference.getAttribute('URI')?.slice(1) ?? '');
    const value = onlyChild(reference, DSIG, 'DigestValue');
    if (target === undefined || value === undefined)
      throw new Error('a reference of the signature has no target');
    value.textContent = digest(hash, canonicalize(target)).toString('base64');
  }
}

/**
 * Writes the XML of a Signature over a Manifest (ECMA-376-2 §13.2.4, MS-OFFCRYPTO §2.5.2). It is complete except for its
 * SignatureValue, which is empty.
 */
export function writeSignature(manifest: string, statement: Statement): string {
  const { certificates, hash, signingTime } = statement;
  const chain = certificates.map(({ raw }) => `<X509Certificate>${raw.toString('base64')}</X509Certificate>`);
  const objects = REFERENCES.filter(({ type }) => type === OBJECT_TYPE).map(({ id }) => id);
  const properties = writeQualifyingProperties(SIGNATURE_ID, certificates[0], hash, signingTime, objects);
  const document = parseDom(
    `<Signature xmlns="${DSIG}" Id="${SIGNATURE_ID}">${writeSignedInfo(statement)}<SignatureValue></SignatureValue>` +
      `<KeyInfo><X509Data>${chain.join('')}</X509Data></KeyInfo>${writePackageObject(manifest, statement)}` +
      `${writeOfficeObject(statement)}<Object>${properties}</Object></Signature>`,
  );
  const signature = document.documentElement;
  if (signature === null) throw new Error('the signature has no element');
  fillDigests(signature, hash);
  return canonicalize(signature);
}
