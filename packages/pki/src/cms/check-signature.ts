import type { KeyObject } from 'node:crypto';
import type { Fault } from '../fault.ts';
import { fault } from '../fault.ts';
import {
  type Family,
  type Hash,
  hashName,
  isWeakHash,
  readScheme,
  type Scheme,
  whereSupported,
} from '../x509/algorithms.ts';
import type { Certificate } from '../x509/certificate.ts';
import { isSignedBy, keyWeakness } from '../x509/signature.ts';
import type { SignerInfo } from './read-signed-data.ts';
import type { HashedParts } from './signed-content.ts';

export interface SignatureCheck {
  /** The scheme that the signature names. Undefined if it is not supported. */
  scheme: Scheme | undefined;
  holds: boolean;
  faults: Fault[];
}

/**
 * Checks the signature value by this certificate, with the algorithm that the signature names and no other. It covers the signed attributes, or the content if there are none.
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
  if (!goesWith(scheme, digest)) {
    const message = `The standard does not permit ${scheme.family} with this digest algorithm.`;
    return { scheme, holds: false, faults: [fault('ALGORITHM_UNSUPPORTED', message)] };
  }
  const key = certificate.x509.publicKey;
  const holds = isMadeBy(key, scheme, signer, content);
  return { scheme, holds, faults: holds ? [] : [mismatch(key, scheme, signer, content, digest)] };
}

/** Some programs name an algorithm with SHA-1 and use the digest that they name apart: a doubt, not a forgery. */
function mismatch(
  key: KeyObject,
  scheme: Scheme,
  signer: SignerInfo,
  content: HashedParts,
  digest: Hash | undefined,
): Fault {
  const { hash } = scheme;
  const mayBeOther = hash !== undefined && scheme.pss === undefined && digest !== undefined;
  if (mayBeOther && isMadeBy(key, { ...scheme, hash: digest }, signer, content))
    return fault(
      'ALGORITHM_UNSUPPORTED',
      `The signature names ${scheme.family} with ${hashName(hash)} and was made with ${hashName(digest)}.`,
    );
  const message = 'The signature value does not match the signed data under the key of the certificate.';
  return fault('SIGNATURE_INVALID', message);
}

/** RFC 8419, 2.3: an EdDSA signature over signed attributes goes with one digest. */
const EDDSA_DIGESTS: Partial<Record<Family, Hash>> = { Ed25519: 'sha512', Ed448: 'shake256' };

function goesWith({ family }: Scheme, digest: Hash | undefined): boolean {
  const due = EDDSA_DIGESTS[family];
  return due === undefined || due === digest;
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
  const faults = [...weak].map((hash) => ({
    ...fault('WEAK_ALGORITHM', `The signature relies on ${hash && hashName(hash)}.`),
    ...(hash === 'sha1' && { isSha1: true }),
  }));
  if (scheme?.family === 'DSA') faults.push(fault('WEAK_ALGORITHM', 'The signature uses DSA.'));
  const weakness = key && keyWeakness(key);
  if (weakness !== undefined) faults.push(fault('WEAK_ALGORITHM', `The signer has ${weakness}.`));
  return faults;
}
