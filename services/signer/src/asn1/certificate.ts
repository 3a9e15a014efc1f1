import { contextTag, TAG } from './der.ts';
import {
  type DerValue,
  expectTag,
  readBitString,
  readDer,
  readOctetString,
  readOid,
  readOnlyChild,
  readSequence,
} from './der-reader.ts';
import { OID } from './oids.ts';

/** Parts of a certificate (RFC 5280, 4.1), each as its own DER. */
export interface CertificateParts {
  serialNumber: Buffer;
  issuer: Buffer;
  subject: Buffer;
  /** AlgorithmIdentifier by which the issuer signed. */
  signatureAlgorithm: DerValue;
  extensions: CertificateExtension[];
}

export interface CertificateExtension {
  id: string;
  /** What the OCTET STRING holds. */
  value: Buffer;
}

/** Reads what node:crypto does not tell. Throws DerError. */
export function readCertificate(der: Uint8Array): CertificateParts {
  const [tbs, signatureAlgorithm] = readSequence(readDer(der));
  const fields = readSequence(tbs);
  const hasVersion = fields[0]?.tag === contextTag(0);
  const [serialNumber, , issuer, , subject] = hasVersion ? fields.slice(1) : fields;
  const extensions = fields.find(({ tag }) => tag === contextTag(3));
  return {
    serialNumber: expectTag(serialNumber, TAG.integer).bytes,
    issuer: expectTag(issuer, TAG.sequence).bytes,
    subject: expectTag(subject, TAG.sequence).bytes,
    signatureAlgorithm: expectTag(signatureAlgorithm, TAG.sequence),
    extensions: extensions === undefined ? [] : readSequence(readOnlyChild(extensions)).map(readExtension),
  };
}

function readExtension(value: DerValue): CertificateExtension {
  const fields = readSequence(value);
  return { id: readOid(fields[0]), value: readOctetString(fields.at(-1)) };
}

/** The first octet of the KeyUsage bits (RFC 5280, 4.2.1.3); undefined where the extension is absent. */
export function readKeyUsage(certificate: CertificateParts): number | undefined {
  const extension = certificate.extensions.find(({ id }) => id === OID.keyUsage);
  if (extension === undefined) return undefined;
  return readBitString(readDer(extension.value))[0] ?? 0;
}
