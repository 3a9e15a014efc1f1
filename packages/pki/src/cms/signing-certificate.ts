import { createHash, type X509Certificate } from 'node:crypto';
import { context, contextTag, der, sequence, TAG } from '../asn1/der.ts';
import { DerError, type DerValue, readDer, readOctetString, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { type Hash, readHash } from '../x509/algorithms.ts';
import { type Certificate, certificateOf } from '../x509/certificate.ts';
import { isSameName } from '../x509/same-name.ts';
import { type Attributes, onlyValue } from './read-signed-data.ts';

const DIRECTORY_NAME = contextTag(4);

/**
 * Whether the signed attributes name this certificate as the signer's (RFC 5035), by signing-certificate-v2 or by the
 * older attribute with SHA-1. If both are present, both must match. An unreadable attribute does not match.
 */
export function namesSigner(
  attributes: Attributes | undefined,
  certificate: Certificate,
): 'yes' | 'no' | 'absent' {
  if (!namesAnySigner(attributes)) return 'absent';
  try {
    const latest = onlyValue(attributes, OID.signingCertificateV2);
    const old = onlyValue(attributes, OID.signingCertificate);
    const isNamed =
      (latest === undefined || isNamedByV2(latest, certificate)) &&
      (old === undefined || isCertId(firstCertId(old), 'sha1', certificate));
    return isNamed ? 'yes' : 'no';
  } catch (error) {
    if (error instanceof DerError) return 'no';
    throw error;
  }
}

/** Whether either attribute is present. */
export const namesAnySigner = (attributes: Attributes | undefined): boolean =>
  attributes !== undefined &&
  (attributes.has(OID.signingCertificateV2) || attributes.has(OID.signingCertificate));

function isNamedByV2(attribute: DerValue, certificate: Certificate): boolean {
  const fields = firstCertId(attribute);
  const hasAlgorithm = fields[0]?.tag === TAG.sequence;
  const hash = hasAlgorithm ? readHash(fields[0]) : 'sha256';
  return isCertId(hasAlgorithm ? fields.slice(1) : fields, hash, certificate);
}

/** ESSCertID and ESSCertIDv2, RFC 5035, 4 and 5.4: the first entry identifies the signer. */
function firstCertId(attribute: DerValue): DerValue[] {
  const [list] = readSequence(attribute);
  return readSequence(readSequence(list)[0]);
}

function isCertId([certHash, named]: DerValue[], hash: Hash, certificate: Certificate): boolean {
  if (!readOctetString(certHash).equals(createHash(hash).update(certificate.der).digest())) return false;
  return named === undefined || isIssuerSerial(named, certificate);
}

/** The DER of an IssuerSerial (RFC 5035, 5) for this certificate. */
export function issuerSerial(x509: X509Certificate): Buffer {
  const { issuer, serialNumber } = certificateOf(x509);
  return sequence(sequence(context(4, issuer)), der(TAG.integer, serialNumber));
}

/** Whether the DER of an IssuerSerial matches this certificate. False if it is unreadable. */
export function namesCertificate(issuerSerialDer: Buffer, certificate: Certificate): boolean {
  try {
    return isIssuerSerial(readDer(issuerSerialDer), certificate);
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

/** Whether an IssuerSerial (RFC 5035, 5) matches this certificate. Throws DerError. */
function isIssuerSerial(named: DerValue, certificate: Certificate): boolean {
  const [names, serialNumber] = readSequence(named);
  const name = readSequence(names).find(({ tag }) => tag === DIRECTORY_NAME);
  return (
    serialNumber?.content.equals(certificate.serialNumber) === true &&
    name !== undefined &&
    isSameName(name.content, certificate.issuer)
  );
}
