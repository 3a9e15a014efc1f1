import { type KeyObject, sign, type X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { signingKeyInvalid } from '../pki-error.ts';
import { orderChain } from './certificates.ts';
import { checkCertificates, validityObjection } from './check-signer.ts';
import type { RawSigner } from './raw-signer.ts';
import { holds, type RsaPadding, signatureScheme, signingOptions } from './signature-scheme.ts';

/** Runs off the event loop. */
const signOff = promisify(sign);

export interface KeyMaterial {
  privateKeys: readonly KeyObject[];
  certificates: readonly X509Certificate[];
}

/**
 * A signer for the key that has a matching certificate; among several, one whose certificate is valid now. Throws
 * SIGNING_KEY_INVALID if there is none or none can sign. A merely expired certificate does not throw.
 */
export function privateKeySigner(
  { privateKeys, certificates }: KeyMaterial,
  { rsaPadding, now }: { rsaPadding?: RsaPadding | undefined; now: Date },
): RawSigner {
  if (privateKeys.length === 0) throw signingKeyInvalid('The private key is missing.');
  if (certificates.length === 0) throw signingKeyInvalid('The private key has no certificate.');
  // Copies of a key count once: each pair takes time, and a file may hold hundreds.
  const pairs = certificates.flatMap((own) => {
    const key = privateKeys.find((one) => own.checkPrivateKey(one));
    return key === undefined ? [] : [{ key, own }];
  });
  if (pairs.length === 0) throw signingKeyInvalid('The certificate does not match the private key.');
  pairs.sort((a, b) => Number(isOutside(a.own, now)) - Number(isOutside(b.own, now)));
  let objection: unknown;
  for (const { key, own } of pairs) {
    try {
      return signerOf(key, orderChain(own, certificates), rsaPadding);
    } catch (error) {
      objection ??= error;
    }
  }
  throw objection;
}

function isOutside(certificate: X509Certificate, now: Date): boolean {
  return validityObjection(certificate, now) !== undefined;
}

function signerOf(
  key: KeyObject,
  certificates: [X509Certificate, ...X509Certificate[]],
  rsaPadding: RsaPadding | undefined,
): RawSigner {
  const { publicKey } = certificates[0];
  const scheme = signatureScheme(publicKey, rsaPadding);
  checkCertificates(certificates, scheme);
  const options = { key, ...signingOptions(scheme) };
  return {
    certificates,
    ...scheme,
    async sign(tbs) {
      const signature = await signOff(scheme.hash, tbs, options).catch(() => undefined);
      // A key with inconsistent parts signs without error, and the result could leak the key.
      if (signature === undefined || !holds(publicKey, scheme, tbs, signature))
        throw signingKeyInvalid('The private key is damaged: its signatures are invalid.');
      return signature;
    },
  };
}
