import { BOUNDS, boundPassed } from '@scriptorium/ooxml/bounds';
import type { Part } from '@scriptorium/ooxml/package';
import { SignatureError } from '../signature-error.ts';
import { isSignatureOf } from './algorithms.ts';
import { partUri } from './manifest.ts';
import { type ReadSignature, readBase64, readSignature, signedBytes } from './read-signature.ts';
import { objectsHold, SignedParts } from './reference-digest.ts';
import type { Signable } from './signable.ts';
import { SignatureFormatError } from './signature-errors.ts';

/** What is wrong with a signature: a phrase such as `it is not over the part /word/document.xml`. */
export type Problem = string;

/** Whether what a signature covers is as it was; its value is not looked at. Throws SignatureFormatError. */
export function findDigestProblems(signature: ReadSignature, parts: SignedParts): Problem[] {
  if (!objectsHold(signature)) return ['its own objects were changed'];
  return parts
    .examine(signature.manifest)
    .filter(({ outcome }) => outcome !== 'holds')
    .map(({ path }) => `it does not hold for ${path}`);
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
    return isSigned ? problems : [...problems, 'its value is of no certificate that it holds'];
  } catch (error) {
    if (error instanceof SignatureFormatError) return [error.message];
    throw error;
  }
}

/**
 * Holds the signatures of a document to what they cover: digests and values, not the certificates. Throws SignatureError
 * UNPROCESSABLE with the first that does not hold, or DOCUMENT_TOO_COMPLEX.
 */
export function checkEarlier(signable: Signable): void {
  const { signatures } = signable.signatureParts;
  if (signatures.length > BOUNDS.signaturesMax) throw boundPassed('signaturesMax');
  const parts = new SignedParts(signable);
  for (const part of signatures) {
    const [problem] = part === undefined ? ['its part is missing'] : findSignatureProblems(part, parts);
    if (problem === undefined) continue;
    const name = part === undefined ? 'An earlier signature' : `The earlier signature ${partUri(part.name)}`;
    throw new SignatureError('UNPROCESSABLE', `${name} does not hold: ${problem}.`);
  }
}
