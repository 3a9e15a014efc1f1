import type { HashAlgorithm, SignatureAlgorithm } from './raw-signer.ts';
import type { SignatureScheme } from './signature-scheme.ts';

const DIGESTS: Record<HashAlgorithm, string> = { sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };
/** What signatures are made by, as the API calls it. */
export const SIGNATURE_NAMES: Readonly<Record<SignatureAlgorithm, string>> = {
  rsa: 'RSA-PKCS1-v1_5',
  'rsa-pss': 'RSA-PSS',
  ecdsa: 'ECDSA',
};

/** How the API calls what a signature is made by. */
export function algorithmNames({ algorithm, hash }: SignatureScheme): {
  digestAlgorithm: string;
  signatureAlgorithm: string;
} {
  return { digestAlgorithm: DIGESTS[hash], signatureAlgorithm: SIGNATURE_NAMES[algorithm] };
}
