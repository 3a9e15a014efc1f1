import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  context,
  contextTag,
  der,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  TAG,
  time,
  utf8String,
} from '../asn1/der.ts';
import { readBitString, readDer, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { signatureAlgorithm } from './algorithm-identifiers.ts';
import { signatureScheme, signingOptions } from './signature-scheme.ts';

const SERIAL_OCTETS = 16;

export interface CertificateRequest {
  /** Common names. The organization is the same for both. */
  subject: string;
  issuer: string;
  organization: string;
  publicKey: KeyObject;
  issuerKey: { publicKey: KeyObject; privateKey: KeyObject };
  notBefore: Date;
  notAfter: Date;
  isAuthority: boolean;
}

/** Builds and signs an X.509 certificate of version 3 (RFC 5280, 4.1), for an authority or a document signer. */
export function buildCertificate(request: CertificateRequest): Buffer {
  const { publicKey: issuerPublicKey, privateKey } = request.issuerKey;
  const scheme = signatureScheme(issuerPublicKey);
  const algorithm = signatureAlgorithm(scheme);
  const tbs = sequence(
    context(0, integer(2)),
    integer(randomSerial()),
    algorithm,
    nameOf(request.organization, request.issuer),
    sequence(time(request.notBefore), time(request.notAfter)),
    nameOf(request.organization, request.subject),
    spkiOf(request.publicKey),
    context(3, sequence(...extensionsOf(request))),
  );
  const signature = sign(scheme.hash, tbs, { key: privateKey, ...signingOptions(scheme) });
  return sequence(tbs, algorithm, bitString(signature));
}

/** Always positive and never zero (RFC 5280, 4.1.2.2). */
function randomSerial(): Buffer {
  return Buffer.concat([Buffer.of(0x40), randomBytes(SERIAL_OCTETS - 1)]);
}

function nameOf(organization: string, commonName: string): Buffer {
  const part = (type: string, text: string): Buffer => setOf(sequence(oid(type), utf8String(text)));
  return sequence(part(OID.organizationName, organization), part(OID.commonName, commonName));
}

function extensionsOf({ publicKey, issuerKey, isAuthority }: CertificateRequest): Buffer[] {
  const authorityKey = der(contextTag(0, false), keyIdentifier(issuerKey.publicKey));
  return [
    extension(OID.basicConstraints, sequence(...(isAuthority ? [TRUE] : [])), true),
    extension(OID.keyUsage, isAuthority ? SIGNS_CERTIFICATES : SIGNS_DOCUMENTS, true),
    extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(publicKey))),
    extension(OID.authorityKeyIdentifier, sequence(authorityKey)),
  ];
}

const TRUE = der(TAG.boolean, Buffer.of(0xff));
/** KeyUsage (RFC 5280, 4.2.1.3), each as the number of unused bits and the bits: keyCertSign and cRLSign. */
const SIGNS_CERTIFICATES = der(TAG.bitString, Buffer.of(1, 0x06));
/** digitalSignature and nonRepudiation. */
const SIGNS_DOCUMENTS = der(TAG.bitString, Buffer.of(6, 0xc0));

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [TRUE] : []), octetString(value));
}

/** SHA-1 of the key bits. It only serves to find the key (RFC 5280, 4.2.1.2). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, bits] = readSequence(readDer(spkiOf(publicKey)));
  return createHash('sha1').update(readBitString(bits)).digest();
}

function spkiOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}
