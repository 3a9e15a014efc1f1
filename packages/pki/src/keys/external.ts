import { createHash } from 'node:crypto';
import { signingKeyInvalid } from '../pki-error.ts';
import { readCertificates } from './certificates.ts';
import { foreignSigner } from './foreign-signer.ts';
import type { HashAlgorithm, RawSigner, SignatureAlgorithm } from './raw-signer.ts';
import { algorithmNames } from './signature-scheme.ts';

/** A key that somebody else holds, in two steps. */
export interface ExternalKey {
  /** DER in base64, the signer's own first. */
  certificates: readonly string[];
  algorithm: SignatureAlgorithm;
  hash: HashAlgorithm;
  /** What its holder signed, in base64; absent in the first step. */
  signature?: string | undefined;
}

/** What the holder of a key signs: hash and sign. */
export interface ToBeSigned {
  base64: string;
  /** By `hashAlgorithm`, hexadecimal. */
  digest: string;
  /** Such as `SHA-256`. */
  hashAlgorithm: string;
  /** Such as `RSA-PKCS1-v1_5`. */
  signatureAlgorithm: string;
}

/**
 * A key that somebody else holds. With a signature value `sign` gives that, checked, or throws SIGNING_KEY_INVALID;
 * without one it cannot be asked to: `describeToBeSigned` says what its holder is to sign. Throws as `checkCertificates` does.
 */
export function externalSigner({ certificates, algorithm, hash, signature }: ExternalKey): RawSigner {
  const [own, ...others] = readCertificates(certificates.map((text) => Buffer.from(text, 'base64')));
  if (own === undefined) throw signingKeyInvalid('There is no certificate.');
  return foreignSigner([own, ...others], () => ({ algorithm, hash }), {
    async sign() {
      if (signature === undefined) throw new Error('the signature value is still to be made elsewhere');
      return Buffer.from(signature, 'base64');
    },
    refusal: () =>
      signingKeyInvalid(
        'The signature value does not hold: it is not that of the bytes to be signed by the key of the certificate.',
      ),
  });
}

/** What the holder of a key hashes and signs in the first of two steps. */
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
