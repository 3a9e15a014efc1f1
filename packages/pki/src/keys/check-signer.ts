import type { X509Certificate } from 'node:crypto';
import { contextTag } from '../asn1/der.ts';
import { DerError, type DerValue, readOid, readOnlyChild, readSequence } from '../asn1/der-reader.ts';
import { OID } from '../asn1/oids.ts';
import { signingKeyInvalid } from '../pki-error.ts';
import { certificateOf, readKeyUsage } from '../x509/certificate.ts';
import type { RawSigner } from './raw-signer.ts';
import { checkScheme, type SignatureScheme } from './signature-scheme.ts';

/** Signed with MD2, MD5 or SHA-1 (RFC 3279, RFC 5758). */
const WEAK_ALGORITHMS = new Set([
  '1.2.840.113549.1.1.2',
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10040.4.3',
  '1.2.840.10045.4.1',
]);
const WEAK_HASHES = new Set(['1.2.840.113549.2.2', '1.2.840.113549.2.5', OID.sha1]);
/** digitalSignature or nonRepudiation (RFC 5280, 4.2.1.3). */
const SIGNS = 0x80 | 0x40;

/**
 * Checks that these certificates, the signer's first, can sign with this scheme, at any time. Throws
 * SIGNING_KEY_INVALID with the reason: key, key usage, or a certificate with a weak signature.
 */
export function checkCertificates(
  certificates: readonly [X509Certificate, ...X509Certificate[]],
  scheme: SignatureScheme,
): void {
  const [own] = certificates;
  checkScheme(own.publicKey, scheme);
  certificates.forEach((certificate, index) => {
    const parts = readable(() => certificateOf(certificate));
    const usage = index === 0 ? readable(() => readKeyUsage(parts)) : undefined;
    if (usage !== undefined && (usage & SIGNS) === 0)
      throw signingKeyInvalid(
        'The key usage of the certificate does not permit signing: it has neither digitalSignature nor nonRepudiation.',
      );
    // The signature that a root puts on itself proves nothing, so it may be weak.
    const isRoot = index > 0 && parts.issuer.equals(parts.subject);
    if (!isRoot && readable(() => isWeaklySigned(parts.signatureAlgorithm)))
      throw signingKeyInvalid(
        `${index === 0 ? 'The certificate' : 'An issuer certificate'} is too weak: it is signed with SHA-1 or MD5.`,
      );
  });
}

/**
 * The validity problem of a certificate at a time, as the end of a sentence. Undefined if it is valid. Throws
 * SIGNING_KEY_INVALID if it is not DER.
 */
export function validityObjection(certificate: X509Certificate, now: Date): string | undefined {
  const { notBefore, notAfter } = readable(() => certificateOf(certificate));
  if (now < notBefore) return `is not valid before ${notBefore.toISOString()}`;
  if (now > notAfter) return `expired at ${notAfter.toISOString()}`;
  return undefined;
}

/** Throws SIGNING_KEY_INVALID if the signer certificate is expired or not yet valid. */
export function checkValidity({ certificates: [own] }: Pick<RawSigner, 'certificates'>, now: Date): void {
  const objection = validityObjection(own, now);
  if (objection !== undefined) throw signingKeyInvalid(`The certificate ${objection}.`);
}

/** OpenSSL parses certificates lazily and not completely, so an accepted one may still be malformed. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw signingKeyInvalid('A certificate of the key is not valid DER (RFC 5280).', error);
  }
}

function isWeaklySigned(algorithm: DerValue): boolean {
  const [id, parameters] = readSequence(algorithm);
  const name = readOid(id);
  if (name !== OID.rsaPss) return WEAK_ALGORITHMS.has(name);
  const hash = readSequence(parameters).find(({ tag }) => tag === contextTag(0));
  // SHA-1 is the default (RFC 4055, 3.1).
  return hash === undefined || WEAK_HASHES.has(readOid(readSequence(readOnlyChild(hash))[0]));
}
