import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import { SignatureError } from '../signature-error.ts';
import { isSignatureOf } from './algorithms.ts';
import { partUri } from './manifest.ts';
import { type ReadSignature, readBase64, readSignature, signedBytes } from './read-signature.ts';
import { objectsHold, SignedParts } from './reference-digest.ts';
import type { Signable } from './signable.ts';
import { SignatureFormatError } from './signature-errors.ts';

/** A problem of a signature: a phrase such as `it does not cover the part /word/document.xml`. */
export type Problem = string;

/** Reports whether the content that a signature covers has changed. Ignores the signature value. Throws SignatureFormatError. */
export function findDigestProblems(signature: ReadSignature, parts: SignedParts): Problem[] {
  if (!objectsHold(signature)) return ['its own objects were changed'];
  return parts
    .examine(signature.manifest)
    .filter(({ outcome }) => outcome !== 'holds')
    .map(({ path }) => `the digest of ${path} does not match`);
}

function findSignatureProblems(part: Part, parts: SignedParts): Problem[] {
  try {
    const signature = readSignature(part.xml);
    const problems = findDigestProblems(signature, parts);
    const value = readBase64(signature.value);
    const data = signedBytes(signature);
    const isSigned = signature.certificates.some((certificate) =>
      isSignatureOf(value, data, signature.method, certificate.x509),
    );
    return isSigned ? problems : [...problems, 'its value does not match any of its certificates'];
  } catch (error) {
    if (error instanceof SignatureFormatError) return [error.message];
    throw error;
  }
}

/**
 * Checks the digests and values of a document's signatures, but not the certificates. Throws SignatureError UNPROCESSABLE
 * for the first invalid one, or DOCUMENT_TOO_COMPLEX.
 */
export function checkEarlier(signable: Signable): void {
  const { signatures } = signable.signatureParts;
  if (signatures.length > BOUNDS.signaturesMax) throw boundPassed('signaturesMax');
  const parts = new SignedParts(signable);
  for (const part of signatures) {
    const [problem] = part === undefined ? ['its part is missing'] : findSignatureProblems(part, parts);
    if (problem === undefined) continue;
    const name = part === undefined ? 'An earlier signature' : `The earlier signature ${partUri(part.name)}`;
    throw new SignatureError('UNPROCESSABLE', `${name} is not valid: ${problem}.`);
  }
}
