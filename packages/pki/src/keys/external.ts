import { createHash } from 'node:crypto';
import type { SigningKey, ToBeSigned } from '@scriptorium/shared/jobs/sign';
import { algorithmNames } from './algorithm-names.ts';
import { orderChain, readCertificates } from './certificates.ts';
import { checkCertificates } from './check-signer.ts';
import { foreignSignature } from './foreign-signature.ts';
import type { RawSigner } from './raw-signer.ts';
import { signatureOctetsMax } from './signature-scheme.ts';
import { signingKeyInvalid } from './signing-key-error.ts';

export type ExternalKey = Extract<SigningKey, { kind: 'external' }>;

/**
 * A key that somebody else holds. With a signature value `sign` gives that, checked, or throws SIGNING_KEY_INVALID;
 * without one it cannot be asked to: `describeToBeSigned` says what its holder is to sign. Throws as `checkCertificates` does.
 */
export function externalSigner({ certificates, algorithm, hash, signature }: ExternalKey): RawSigner {
  const [own, ...others] = readCertificates(certificates.map((text) => Buffer.from(text, 'base64')));
  if (own === undefined) throw signingKeyInvalid('There is no certificate.');
  const scheme = { algorithm, hash };
  const chain = orderChain(own, others);
  checkCertificates(chain, scheme);
  const value = signature === undefined ? undefined : Buffer.from(signature, 'base64');
  return {
    certificates: chain,
    ...scheme,
    async sign(tbs) {
      if (value === undefined) throw new Error('the signature value is still to be made elsewhere');
      const isTooLong = value.length > signatureOctetsMax(own.publicKey);
      const made = isTooLong ? undefined : foreignSignature(own.publicKey, scheme, tbs, value);
      if (made !== undefined) return made;
      throw signingKeyInvalid(
        'The signature value does not hold: it is not that of the bytes to be signed by the key of the certificate.',
      );
    },
  };
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
