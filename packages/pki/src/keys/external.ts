import { createHash } from 'node:crypto';
import { signingKeyInvalid } from '../pki-error.ts';
import { readCertificates } from './certificates.ts';
import { foreignSigner } from './foreign-signer.ts';
import type { HashAlgorithm, RawSigner, SignatureAlgorithm } from './raw-signer.ts';
import { algorithmNames } from './signature-scheme.ts';

/** A key that the caller holds, used in two steps. */
export interface ExternalKey {
  /** DER in base64, the signer's own first. */
  certificates: readonly string[];
  algorithm: SignatureAlgorithm;
  hash: HashAlgorithm;
  /** The signature value of the holder, in base64. Absent in the first step. */
  signature?: string | undefined;
}

/** What the holder of a key hashes and signs. */
export interface ToBeSigned {
  base64: string;
  /** Digest by `hashAlgorithm`, hexadecimal. */
  digest: string;
  /** Such as `SHA-256`. */
  hashAlgorithm: string;
  /** Such as `RSA-PKCS1-v1_5`. */
  signatureAlgorithm: string;
}

/**
 * A signer for a key held by the caller. With a signature value, `sign` checks and returns it, or throws
 * SIGNING_KEY_INVALID. Without one it cannot sign: `describeToBeSigned` describes what the holder must sign. Throws
 * the errors of `checkCertificates`.
 */
export function externalSigner({ certificates, algorithm, hash, signature }: ExternalKey): RawSigner {
  const [own, ...others] = readCertificates(certificates.map((text) => Buffer.from(text, 'base64')));
  if (own === undefined) throw signingKeyInvalid('The certificate is missing.');
  return foreignSigner([own, ...others], () => ({ algorithm, hash }), {
    async sign() {
      if (signature === undefined) throw new Error('signature value not yet made');
      return Buffer.from(signature, 'base64');
    },
    refusal: () =>
      signingKeyInvalid(
        'The signature value is invalid: it does not match the bytes to be signed under the key of the certificate.',
      ),
  });
}

/** Describes what the holder of a key hashes and signs, for the first of the two steps. */
export function describeToBeSigned(
  tbs: Uint8Array,
  scheme: Pick<RawSigner, 'algorithm' | 'hash'>,
): ToBeSigned {
  const { digestAlgorithm, signatureAlgorithm } = algorithmNames(scheme);
  return {
    base64: Buffer.from(tbs).toString('base64'),
    digest: createHash(scheme.hash).update(tbs).digest('hex'),
    hashAlgorithm: digestAlgorithm,
    signatureAlgorithm,
  };
}
