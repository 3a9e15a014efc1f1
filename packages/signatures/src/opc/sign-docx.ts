import type { Part } from '@scriptorium/ooxml/package';
import type { RawSigner } from '@scriptorium/pki/keys';
import type { Timestamper } from '@scriptorium/pki/timestamps';
import { hasTimestamp, hasValidationData, type SignatureLevel } from '../levels.ts';
import { SignatureError } from '../signature-error.ts';
import { isSignatureOf, toXmlValue } from './algorithms.ts';
import { canonicalise } from './c14n.ts';
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

/** How far a signature is to be proven, and by whom. */
export interface DocxLevel {
  level: SignatureLevel;
  /** For B-T. */
  timestamper?: Timestamper;
}

export interface DocxOptions extends DocxLevel, PrepareOptions {
  signer: RawSigner;
}

export interface SignedDocx {
  bytes: Buffer;
  /** Of the part that holds the signature, without a leading slash. */
  partName: string;
  /** As the signature has it: that of ECDSA is r and s behind each other. */
  signatureValue: Buffer;
  timestampTime?: Date;
}

/** Throws SignatureError UNSUPPORTED_LEVEL where no such signature of a DOCX can be made. */
export function checkDocxLevel({ level, timestamper }: DocxLevel): void {
  if (hasValidationData(level))
    throw new SignatureError(
      'UNSUPPORTED_LEVEL',
      `A DOCX takes signatures of level B-B and B-T, not ${level}.`,
    );
  if (hasTimestamp(level) && timestamper === undefined)
    throw new SignatureError(
      'UNSUPPORTED_LEVEL',
      'Level B-T needs a time-stamping authority, and none is configured.',
    );
}

/** Gives a drafted signature its value, and the time-stamp that its level asks for. */
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
      'The signature value is not of the certificate’s key over this document.',
    );
  element.textContent = signatureValue.toString('base64');
  let timestampTime: Date | undefined;
  if (hasTimestamp(level) && timestamper !== undefined) {
    const { token, time } = await timestamper.timestamp(Buffer.from(canonicalise(element)));
    if (root.ownerDocument === null) throw new Error('the signature has no document');
    addSignatureTimeStamp(root.ownerDocument, root, token);
    timestampTime = time;
  }
  setSignatureXml(part, canonicalise(root));
  const bytes = writeSignable(signable);
  return { bytes, partName: part.name, signatureValue, ...(timestampTime && { timestampTime }) };
}

/**
 * Signs a Word document within its package: an XML signature by ECMA-376-2 §13 and MS-OFFCRYPTO §2.5.2, which is a XAdES
 * baseline signature (EN 319 132-1 §6) of level B-B or B-T. It covers each part and relationship of the document but the
 * signatures; of what was there nothing is changed where the document was signed before.
 *
 * Throws SignatureError: UNSUPPORTED_LEVEL, SIGNING_KEY_INVALID where the value is not of the certificate, what `prepareDocx`
 * throws, and what the signer and the time-stamper throw.
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
  throw new SignatureError('UNPROCESSABLE', 'The document holds no prepared signature that lacks its value.');
}

/**
 * The second of two steps: gives the signature that `prepareDocx` drew up its value, which is as a `RawSigner` gives it.
 * Throws SignatureError: what `openPackage` throws, UNSUPPORTED_LEVEL, SIGNING_KEY_INVALID where the value is not of the
 * certificate over this document, UNPROCESSABLE where the document was not prepared or was changed since.
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
