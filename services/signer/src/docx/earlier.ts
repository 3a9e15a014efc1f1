import { AppError } from '@scriptorium/shared/errors';
import { BOUNDS, boundPassed } from '@scriptorium/shared/ooxml/bounds';
import type { Part } from '@scriptorium/shared/ooxml/package';
import { isSignatureOf } from './algorithms.ts';
import { partUri } from './manifest.ts';
import {
  type ReadSignature,
  readBase64,
  readSignature,
  SignatureFormatError,
  signedBytes,
} from './read-signature.ts';
import { objectHolds, SignedParts } from './reference-digest.ts';
import type { Signable } from './signable.ts';
import { childrenOf, DSIG } from './xml-dom.ts';

/** What is wrong with a signature: a phrase such as `it is not over the part /word/document.xml`. */
export type Problem = string;

/** The References of the Manifests that SignedInfo covers. */
function manifestReferences(signature: ReadSignature) {
  const objects = signature.references.map((reference) =>
    signature.ids.get((reference.getAttribute('URI') ?? '').slice(1)),
  );
  return objects
    .filter((object) => object !== undefined)
    .flatMap((object) => childrenOf(object, DSIG, 'Manifest'))
    .flatMap((manifest) => childrenOf(manifest, DSIG, 'Reference'));
}

/** Whether what a signature covers is as it was; its value is not looked at. Throws SignatureFormatError. */
export function findDigestProblems(signature: ReadSignature, parts: SignedParts): Problem[] {
  if (!signature.references.every((reference) => objectHolds(reference, signature)))
    return ['its own objects were changed'];
  const references = manifestReferences(signature);
  const uris = new Set(references.map((reference) => reference.getAttribute('URI')));
  if (references.length === 0 || uris.size < references.length)
    return ['its manifest is empty, or names a part twice'];
  return references
    .filter((reference) => !parts.holds(reference))
    .map((reference) => `it does not hold for ${(reference.getAttribute('URI') ?? '').split('?')[0]}`);
}

function findSignatureProblems(part: Part, parts: SignedParts): Problem[] {
  try {
    const signature = readSignature(part.xml);
    const problems = findDigestProblems(signature, parts);
    const value = readBase64(signature.value);
    const data = signedBytes(signature);
    const isSigned = signature.certificates.some((certificate) =>
      isSignatureOf(value, data, signature.method, certificate),
    );
    return isSigned ? problems : [...problems, 'its value is of no certificate that it holds'];
  } catch (error) {
    if (error instanceof SignatureFormatError) return [error.message];
    throw error;
  }
}

/**
 * Holds the signatures of a document to what they cover: digests and values, not the certificates. Throws AppError
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
    throw new AppError('UNPROCESSABLE', `${name} does not hold: ${problem}.`);
  }
}
