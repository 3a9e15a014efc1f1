import type { X509Certificate } from 'node:crypto';
import { context, der, sequence, TAG } from '@scriptorium/pki/asn1/der';
import { certificateOf } from '@scriptorium/pki/x509/certificate';

/** The DER of an IssuerSerial (RFC 5035 §5): issuer and serial number as the certificate has them. */
export function issuerSerial(certificate: X509Certificate): Buffer {
  const { issuer, serialNumber } = certificateOf(certificate);
  return sequence(sequence(context(4, issuer)), der(TAG.integer, serialNumber));
}

/** The issuer's name as one line, its most special part first (RFC 4514). */
export function issuerName({ issuer }: X509Certificate): string {
  return issuer.split('\n').reverse().join(',');
}

export function decimalSerial({ serialNumber }: X509Certificate): string {
  return BigInt(`0x${serialNumber}`).toString();
}
