import { X509Certificate } from 'node:crypto';
import { signingKeyInvalid } from '../pki-error.ts';

const CERTIFICATES_MAX = 64;

export type CertificateList = readonly [X509Certificate, ...X509Certificate[]];

/** Reads DER, one certificate each. Throws SIGNING_KEY_INVALID. */
export function readCertificates(ders: readonly Uint8Array[]): X509Certificate[] {
  if (ders.length > CERTIFICATES_MAX)
    throw signingKeyInvalid(`There are more than ${CERTIFICATES_MAX} certificates with the key.`);
  return ders.map((der, index) => {
    try {
      const certificate = new X509Certificate(der);
      // node:crypto reads the key lazily, so this reports an unreadable key early.
      void certificate.publicKey;
      return certificate;
    } catch (cause) {
      throw signingKeyInvalid(`Certificate ${index + 1} of the key cannot be read.`, cause);
    }
  });
}

/** The chain from `own` upwards, as far as `others` hold the issuers. */
export function orderChain(
  own: X509Certificate,
  others: readonly X509Certificate[],
): [X509Certificate, ...X509Certificate[]] {
  const chain: [X509Certificate, ...X509Certificate[]] = [own];
  const left = new Set(others);
  for (let last = own; !last.checkIssued(last); ) {
    const issuer = [...left].find((other) => last.checkIssued(other) && last.verify(other.publicKey));
    if (issuer === undefined) break;
    left.delete(issuer);
    chain.push(issuer);
    last = issuer;
  }
  return chain;
}
