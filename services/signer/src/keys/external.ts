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

/** No failure: the signature is to be made outside, and brought along in a second call. */
export class SignaturePending extends Error {
  readonly toBeSigned: ToBeSigned;

  constructor(toBeSigned: ToBeSigned) {
    super('The signature is made outside of the service.');
    this.name = 'SignaturePending';
    this.toBeSigned = toBeSigned;
  }
}

/**
 * A key that somebody else holds. Without a signature value, `sign` rejects with SignaturePending, which has the bytes
 * to be signed; with one it gives that, checked, or throws SIGNING_KEY_INVALID. Throws as `checkCertificates` does.
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
      if (value === undefined) throw new SignaturePending(describe(tbs, scheme));
      const isTooLong = value.length > signatureOctetsMax(own.publicKey);
      const made = isTooLong ? undefined : foreignSignature(own.publicKey, scheme, tbs, value);
      if (made !== undefined) return made;
      throw signingKeyInvalid(
        'The signature value does not hold: it is not that of the bytes to be signed by the key of the certificate.',
      );
    },
  };
}

function describe(tbs: Uint8Array, scheme: Pick<RawSigner, 'algorithm' | 'hash'>): ToBeSigned {
  const { digestAlgorithm, signatureAlgorithm } = algorithmNames(scheme);
  return {
    base64: Buffer.from(tbs).toString('base64'),
    digest: createHash(scheme.hash).update(tbs).digest('hex'),
    hashAlgorithm: digestAlgorithm,
    signatureAlgorithm,
  };
}
