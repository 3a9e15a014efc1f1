import { DOCX_TYPE } from '../document-type.ts';
import { isAtLeast, type SignatureLevel } from '../levels.ts';
import { canonicalize } from '../opc/c14n.ts';
import { checkEarlier } from '../opc/earlier.ts';
import { setSignatureXml, writeSignable } from '../opc/prepare-docx.ts';
import { readSignature } from '../opc/read-signature.ts';
import { checkDocxLevel } from '../opc/sign-docx.ts';
import { keepStrays, openSignable, type Signable } from '../opc/signable.ts';
import { SignatureFormatError } from '../opc/signature-errors.ts';
import { openTimestamps } from '../opc/signature-properties.ts';
import { addSignatureTimeStamp } from '../opc/xades.ts';
import { SignatureError } from '../signature-error.ts';
import {
  type Augmented,
  type AugmentRequest,
  type AugmentTools,
  chosenSignatures,
  targetLevel,
} from './augment-tools.ts';
import { timestamperFor } from './sign-tools.ts';

/**
 * Augments for `augmentDocument`: adds a time-stamp to each signature that has none (EN 319 132-1, 6.3). Throws
 * UNSUPPORTED_LEVEL above B-T, and VALIDATION_ERROR for a password.
 */
export async function augmentDocx(
  { source, augmentation, password }: AugmentRequest,
  tools: AugmentTools,
): Promise<Augmented> {
  if (password !== undefined)
    throw new SignatureError('VALIDATION_ERROR', 'The document is a DOCX.', {
      details: [{ field: 'password', issue: 'is an option for PDF documents' }],
    });
  const signable = await openSignable(source);
  checkEarlier(signable);
  const chosen = chosenSignatures(signaturesOf(signable), augmentation, ({ part }) => part.name);
  const before = chosen.map(({ part, signature }): SignatureLevel => {
    const stamps = readable(part.name, () => openTimestamps(signature));
    return stamps.some((stamp) => !('code' in stamp || stamp.hasSha1)) ? 'B-T' : 'B-B';
  });
  const target = targetLevel(augmentation, before);
  const timestamper = isAtLeast(target, 'B-LT')
    ? undefined
    : timestamperFor({ ...augmentation, level: target }, tools);
  checkDocxLevel({ level: target, ...(timestamper && { timestamper }) });
  const open = chosen.filter((_, index) => before[index] === 'B-B');
  // Before an authority is asked for any.
  for (const { part, signature } of open)
    if (signature.signedProperties === undefined)
      throw new SignatureError(
        'UNPROCESSABLE',
        `The signature \`${part.name}\` is not a XAdES signature, which can be augmented.`,
      );
  if (timestamper !== undefined)
    for (const { part, signature } of open) {
      const { token } = await timestamper.timestamp(Buffer.from(canonicalize(signature.value)));
      addSignatureTimeStamp(signature.root, token);
      setSignatureXml(part, canonicalize(signature.root));
    }
  const signatures = chosen.map(({ part }, index) => ({
    fieldName: part.name,
    before: before[index] ?? 'B-B',
    after: target,
  }));
  const isChanged = open.length > 0;
  const bytes = isChanged ? await written(signable) : source;
  return { bytes, contentType: DOCX_TYPE, reply: { isChanged, signatures, warnings: [] } };
}

function signaturesOf({ signatureParts }: Signable) {
  return signatureParts.signatures.flatMap((part) =>
    part === undefined ? [] : [{ part, signature: readSignature(part.xml) }],
  );
}

/** Throws UNPROCESSABLE for a signature whose time-stamps have no form that can be read. */
function readable<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SignatureFormatError)) throw error;
    throw new SignatureError('UNPROCESSABLE', `The signature \`${name}\` is not valid: ${error.message}.`);
  }
}

/** Throws UNPROCESSABLE if another signature covers one that was augmented. */
async function written(signable: Signable): Promise<Buffer> {
  keepStrays(signable);
  const bytes = writeSignable(signable);
  checkEarlier(await openSignable(bytes));
  return bytes;
}
