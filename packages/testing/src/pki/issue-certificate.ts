import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import {
  bitString,
  boolean,
  explicit,
  ia5String,
  identifier,
  implicit,
  integer,
  octetString,
  sequence,
  setOf,
  time,
  utf8String,
} from './der.ts';
import { type Hash, signatureAlgorithm, signWith } from './keys.ts';
import { memberAt, readAsn1 } from './read.ts';

/** The bits of KeyUsage, RFC 5280 §4.2.1.3, in order. */
export const KEY_USAGES = [
  'digitalSignature',
  'nonRepudiation',
  'keyEncipherment',
  'dataEncipherment',
  'keyAgreement',
  'keyCertSign',
  'cRLSign',
] as const;
export type KeyUsage = (typeof KEY_USAGES)[number];

export const EXTENDED_KEY_USAGES = {
  timeStamping: '1.3.6.1.5.5.7.3.8',
  ocspSigning: '1.3.6.1.5.5.7.3.9',
  emailProtection: '1.3.6.1.5.5.7.3.4',
  documentSigning: '1.3.6.1.5.5.7.3.36',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;
export type ExtendedKeyUsage = keyof typeof EXTENDED_KEY_USAGES;

/** The addresses of the issuer and the status in a certificate. */
export interface Places {
  ocsp: string[];
  caIssuers: string[];
  crl: string[];
}

export interface CertificateContent {
  subject: Buffer;
  issuer: Buffer;
  publicKey: KeyObject;
  signingKey: KeyObject;
  signingPublicKey: KeyObject;
  hash: Hash;
  notBefore: Date;
  notAfter: Date;
  /** Undefined for an end entity. */
  ca?: { pathLength?: number } | undefined;
  keyUsage: KeyUsage[];
  extendedKeyUsage: ExtendedKeyUsage[];
  isExtendedKeyUsageCritical: boolean;
  /** Exempts a responder from checks of its own status (RFC 6960 §4.2.2.2.1). */
  hasNoCheck: boolean;
  places: Places;
  /** Further extensions, each an Extension in DER. */
  otherExtensions: Buffer[];
}

/** A Name (RFC 5280 §4.1.2.4) of a country, an organization and a common name; without the latter it is empty. */
export function distinguishedName(commonName: string): Buffer {
  if (commonName === '') return sequence();
  const attribute = (oid: string, value: Buffer) => setOf(sequence(identifier(oid), value));
  return sequence(
    attribute('2.5.4.6', Buffer.concat([Buffer.from([0x13, 2]), Buffer.from('XX')])),
    attribute('2.5.4.10', utf8String('Scriptorium Tests')),
    attribute('2.5.4.3', utf8String(commonName)),
  );
}

/** The bits of a SubjectPublicKeyInfo, which key identifiers and CertIDs hash. */
export const keyBits = (key: KeyObject): Buffer =>
  memberAt(readAsn1(key.export({ type: 'spki', format: 'der' })), 1).content.subarray(1);

/** The usual key identifier, RFC 5280 §4.2.1.2. */
export const keyIdentifier = (key: KeyObject): Buffer => createHash('sha1').update(keyBits(key)).digest();

/** Signs a certificate (RFC 5280 §4.1); returns it in DER, with its serial number in hexadecimal. */
export function buildCertificate(content: CertificateContent): { der: Buffer; serialNumber: string } {
  const serial = randomBytes(16);
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f);
  const algorithm = signatureAlgorithm(content.signingKey, content.hash);
  const body = sequence(
    explicit(0, integer(2)),
    integer(serial),
    algorithm,
    content.issuer,
    sequence(time(content.notBefore), time(content.notAfter)),
    content.subject,
    content.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions(content))),
  );
  const signature = signWith(content.signingKey, content.hash, body);
  return { der: sequence(body, algorithm, bitString(signature)), serialNumber: serial.toString('hex') };
}

/** One Extension, RFC 5280 §4.1. */
export const extension = (oid: string, value: Buffer, isCritical = false): Buffer =>
  sequence(identifier(oid), ...(isCritical ? [boolean(true)] : []), octetString(value));

function extensions(content: CertificateContent): Buffer[] {
  const list = [
    extension('2.5.29.14', octetString(keyIdentifier(content.publicKey))),
    extension('2.5.29.35', sequence(implicit(0, octetString(keyIdentifier(content.signingPublicKey))))),
    extension('2.5.29.19', basicConstraints(content.ca), content.ca !== undefined),
  ];
  if (content.keyUsage.length > 0) list.push(extension('2.5.29.15', keyUsageBits(content.keyUsage), true));
  if (content.extendedKeyUsage.length > 0) {
    const usages = content.extendedKeyUsage.map((usage) => identifier(EXTENDED_KEY_USAGES[usage]));
    list.push(extension('2.5.29.37', sequence(...usages), content.isExtendedKeyUsageCritical));
  }
  if (content.hasNoCheck) list.push(extension('1.3.6.1.5.5.7.48.1.5', Buffer.from([5, 0])));
  return [...list, ...placeExtensions(content.places), ...content.otherExtensions];
}

function basicConstraints(ca: CertificateContent['ca']): Buffer {
  if (ca === undefined) return sequence();
  return sequence(boolean(true), ...(ca.pathLength === undefined ? [] : [integer(ca.pathLength)]));
}

/** Named bits without trailing zeros (X.690 §11.2.2). */
function keyUsageBits(usages: KeyUsage[]): Buffer {
  const bits = KEY_USAGES.map((usage) => usages.includes(usage));
  const last = bits.lastIndexOf(true);
  const byte = bits.reduce((value, isSet, bit) => (isSet ? value | (0x80 >> bit) : value), 0);
  return bitString(Buffer.from([byte]), 7 - last);
}

const uri = (url: string): Buffer => implicit(6, ia5String(url));

/** AuthorityInfoAccess and CRLDistributionPoints, RFC 5280 §4.2.2.1 and §4.2.1.13. */
function placeExtensions({ ocsp, caIssuers, crl }: Places): Buffer[] {
  const access = [
    ...ocsp.map((url) => sequence(identifier('1.3.6.1.5.5.7.48.1'), uri(url))),
    ...caIssuers.map((url) => sequence(identifier('1.3.6.1.5.5.7.48.2'), uri(url))),
  ];
  const points = crl.map((url) => sequence(explicit(0, explicit(0, uri(url)))));
  return [
    ...(access.length > 0 ? [extension('1.3.6.1.5.5.7.1.1', sequence(...access))] : []),
    ...(points.length > 0 ? [extension('2.5.29.31', sequence(...points))] : []),
  ];
}
