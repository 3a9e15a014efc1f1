import type { Part } from '@scriptorium/ooxml/package';
import type { RawSigner } from '@scriptorium/pki/keys';
import type { Timestamper } from '@scriptorium/pki/timestamps';
import { hasTimestamp, hasValidationData, type SignatureLevel } from '../levels.ts';
import { SignatureError } from '../signature-error.ts';
import { isSignatureOf, toXmlValue } from './algorithms.ts';
import { canonicalize } from './c14n.ts';
import { findDigestProblems } from './earlier.ts';
import {
  draftDocx,
  type Preparation,
  type PrepareOptions,
  setSignatureXml,
  writeSignable,
} from './prepare-docx.ts';
import { type ReadSignature, readSignature, signedBytes } from './read-signature.ts';
import { SignedParts } from './reference-digest.ts';
import { keepStrays, openSignable, type Signable } from './signable.ts';
import { SignatureFormatError } from './signature-errors.ts';
import { addSignatureTimeStamp } from './xades.ts';

/** The level of a signature, and the authority for it. */
export interface DocxLevel {
  level: SignatureLevel;
  /** Required for B-T. */
  timestamper?: Timestamper;
}

export interface DocxOptions extends DocxLevel, PrepareOptions {
  signer: RawSigner;
}

export interface SignedDocx {
  bytes: Buffer;
  /** Name of the part with the signature, without a leading slash. */
  partName: string;
  /** As stored in the signature; ECDSA values are r and s concatenated. */
  signatureValue: Buffer;
  timestampTime?: Date;
}

/** Throws SignatureError UNSUPPORTED_LEVEL if this level is not available for a DOCX. */
export function checkDocxLevel({ level, timestamper }: DocxLevel): void {
  if (hasValidationData(level))
    throw new SignatureError(
      'UNSUPPORTED_LEVEL',
      `A DOCX supports signatures of level B-B and B-T, not ${level}.`,
    );
  if (hasTimestamp(level) && timestamper === undefined)
    throw new SignatureError(
      'UNSUPPORTED_LEVEL',
      'Level B-T requires a time-stamping authority, and none is configured.',
    );
}

/** Adds the value to a prepared signature, and the time-stamp if its level requires one. */
async function complete(
  signable: Signable,
  part: Part,
  signature: ReadSignature,
  value: Buffer,
  { level, timestamper }: DocxLevel,
): Promise<SignedDocx> {
  const { method, certificates, root, value: element } = signature;
  const certificate = certificates[0]?.x509;
  if (certificate === undefined) throw new Error('the drafted signature has no certificate');
  const signatureValue = toXmlValue(value, method.algorithm, certificate.publicKey);
  if (!isSignatureOf(signatureValue, signedBytes(signature), method, certificate))
    throw new SignatureError(
      'SIGNING_KEY_INVALID',
      'The signature value was not made by the certificate’s key over this document.',
    );
  element.textContent = signatureValue.toString('base64');
  let timestampTime: Date | undefined;
  if (hasTimestamp(level) && timestamper !== undefined) {
    const { token, time } = await timestamper.timestamp(Buffer.from(canonicalize(element)));
    addSignatureTimeStamp(root, token);
    timestampTime = time;
  }
  setSignatureXml(part, canonicalize(root));
  const bytes = writeSignable(signable);
  return { bytes, partName: part.name, signatureValue, ...(timestampTime && { timestampTime }) };
}

/**
 * Signs a Word document within its package, by ECMA-376-2 §13 and MS-OFFCRYPTO §2.5.2. The XML signature is a XAdES baseline
 * signature (EN 319 132-1 §6) of level B-B or B-T. It covers every part and relationship of the document except the signatures.
 * If the document was signed before, existing content is not changed.
 *
 * Throws SignatureError: UNSUPPORTED_LEVEL, SIGNING_KEY_INVALID if the value does not match the certificate, and what
 * `prepareDocx`, the signer and the time-stamper throw.
 */
export async function signDocx(
  bytes: Uint8Array,
  { signer, level, timestamper, ...options }: DocxOptions,
): Promise<SignedDocx & Preparation> {
  const wanted = { level, ...(timestamper && { timestamper }) };
  checkDocxLevel(wanted);
  const { signable, part, signature, hasAuditTrail, warnings } = await draftDocx(bytes, signer, options);
  const value = await signer.sign(signedBytes(signature));
  return { ...(await complete(signable, part, signature, value, wanted)), hasAuditTrail, warnings };
}

function findDraft(signable: Signable): { part: Part; signature: ReadSignature } {
  for (const part of signable.signatureParts.signatures.toReversed()) {
    if (part?.xml === undefined) continue;
    try {
      const signature = readSignature(part.xml);
      if (signature.value.textContent === '') return { part, signature };
    } catch (error) {
      if (!(error instanceof SignatureFormatError)) throw error;
    }
  }
  throw new SignatureError(
    'UNPROCESSABLE',
    'The document does not contain a prepared signature without a value.',
  );
}

/**
 * The second of two steps: adds the value to the signature that `prepareDocx` prepared. The value has the form that a `RawSigner`
 * returns. Throws SignatureError: what `openPackage` throws, UNSUPPORTED_LEVEL, or SIGNING_KEY_INVALID if the value was not made
 * by the certificate's key over this document. Throws UNPROCESSABLE if the document was not prepared or has changed since.
 */
export async function completeDocx(bytes: Uint8Array, value: Buffer, level: DocxLevel): Promise<SignedDocx> {
  checkDocxLevel(level);
  const signable = await openSignable(bytes);
  const { part, signature } = findDraft(signable);
  const [problem] = findDigestProblems(signature, new SignedParts(signable));
  if (problem !== undefined)
    throw new SignatureError(
      'UNPROCESSABLE',
      `The document was changed after it was prepared for signing: ${problem}.`,
    );
  keepStrays(signable);
  return complete(signable, part, signature, value, level);
}
