import type { KeyObject } from 'node:crypto';
import type { Fault } from '../fault.ts';
import { fault } from '../fault.ts';
import {
  type Hash,
  hashName,
  isWeakHash,
  readScheme,
  type Scheme,
  whereSupported,
} from '../x509/algorithms.ts';
import type { Certificate } from '../x509/certificate.ts';
import { isSignedBy, RSA_BITS_MIN, rsaBits } from '../x509/signature.ts';
import type { SignerInfo } from './read-signed-data.ts';
import type { HashedParts } from './signed-content.ts';

export interface SignatureCheck {
  /**
   * The scheme that the signature uses, or that it names if the signature does not hold. Undefined if it is not
   * supported.
   */
  scheme: Scheme | undefined;
  holds: boolean;
  faults: Fault[];
}

/**
 * Checks the signature value by this certificate. It covers the signed attributes, or the content if there are none.
 * Throws DerError.
 */
export function checkSignature(
  signer: SignerInfo,
  certificate: Certificate | undefined,
  content: HashedParts,
  digest: Hash | undefined,
): SignatureCheck {
  const scheme = whereSupported(() => readScheme(signer.signatureAlgorithm, digest));
  // EdDSA takes the whole content, not a hash of it.
  if (scheme === undefined || (scheme.hash === undefined && signer.signed === undefined)) {
    const message = 'The signature algorithm is not supported.';
    return { scheme, holds: false, faults: [fault('ALGORITHM_UNSUPPORTED', message)] };
  }
  if (certificate === undefined) {
    const message = 'The signer certificate is missing from the signature or unreadable.';
    return { scheme, holds: false, faults: [fault('SIGNER_CERTIFICATE_MISSING', message)] };
  }
  const key = certificate.x509.publicKey;
  const made = candidates(scheme, digest).find((each) => isMadeBy(key, each, signer, content));
  const message = 'The signature value does not match the signed data under the key of the certificate.';
  return {
    scheme: made ?? scheme,
    holds: made !== undefined,
    faults: made === undefined ? [fault('SIGNATURE_INVALID', message)] : [],
  };
}

/** Some programs write an algorithm with SHA-1 and mean the digest that they name apart. */
function candidates(scheme: Scheme, digest: Hash | undefined): Scheme[] {
  const isApart = scheme.hash !== undefined && scheme.pss === undefined && digest !== undefined;
  return isApart && scheme.hash !== digest ? [scheme, { ...scheme, hash: digest }] : [scheme];
}

function isMadeBy(key: KeyObject, scheme: Scheme, signer: SignerInfo, content: HashedParts): boolean {
  const { signed, signature } = signer;
  if (signed === undefined) return isSignedBy(key, scheme, content.parts, signature);
  return signed.encodings.some((encoding) => isSignedBy(key, scheme, [encoding], signature));
}

/** Algorithms and keys that the signature relies on and that can be forged today. */
export function weaknesses(
  hashes: readonly (Hash | undefined)[],
  scheme: Scheme | undefined,
  key?: KeyObject,
): Fault[] {
  const weak = new Set([...hashes, scheme?.hash].filter((hash) => hash !== undefined && isWeakHash(hash)));
  const messages = [...weak].map((hash) => `The signature relies on ${hash && hashName(hash)}.`);
  if (scheme?.family === 'DSA') messages.push('The signature uses DSA.');
  const bits = key === undefined ? RSA_BITS_MIN : rsaBits(key);
  if (bits < RSA_BITS_MIN) messages.push(`The RSA key of the signer has ${bits} bits.`);
  return messages.map((message) => fault('WEAK_ALGORITHM', message));
}
