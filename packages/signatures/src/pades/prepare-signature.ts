import type { Ref } from '@scriptorium/pdf/read';
import { Update, type UpdatedPdf } from '@scriptorium/pdf/update';
import type { VisibleSignature } from './appearance/appearance.ts';
import { changeCatalog } from './catalog.ts';
import type { ByteRange, PreparedPdf } from './prepared.ts';
import type { ReadPdf } from './read-pdf.ts';
import { requireSeedValues, type SeededSignature } from './seed-values.ts';
import {
  lockDictionary,
  type SignatureContents,
  type SignatureText,
  SUB_FILTER,
  signatureDictionary,
} from './signature-dictionary.ts';
import {
  authorsLock,
  freeName,
  refuseRepairOfSigned,
  refuseUnlessPermitted,
  type SignatureTarget,
  targetField,
} from './signature-target.ts';
import { addField, fieldLook, fillField, hiddenLook, visibleLook } from './signature-widget.ts';

export interface PrepareOptions extends Omit<SignatureContents, 'kind'> {
  /** Name of an empty signature field, or of a new one; by default `Signature1…`. */
  field?: string;
  /** Whether the field of that name must exist. */
  fieldMustExist?: boolean;
  /** The visible appearance; an existing field keeps its position. */
  appearance?: VisibleSignature;
  /** What the author of an existing field may have asked for. */
  seeded?: Pick<SeededSignature, 'hash' | 'level' | 'certificates'>;
}

/**
 * Adds one incremental update with a signature field, its widget and a signature dictionary without a value. Throws
 * DOCUMENT_LOCKED, FIELD_ALREADY_SIGNED, UNPROCESSABLE, VALIDATION_ERROR (`field`, `appearance.page`,
 * `appearance.rectangle`), or INVALID_FILE_FORMAT.
 */
export async function prepareSignature(pdf: ReadPdf, options: PrepareOptions): Promise<PreparedPdf> {
  const target = targetField(pdf, options.field, options.fieldMustExist);
  refuseUnlessPermitted(pdf, target, options.certify);
  const { seeded, reason, certify } = options;
  if (target.field && seeded)
    requireSeedValues(pdf, target.field, { ...seeded, subFilter: SUB_FILTER, reason, certify });
  const lock = options.lock ?? (target.field && authorsLock(pdf, target.field));
  const update = new Update(pdf.document);
  const signature = signatureDictionary({ ...options, lock, kind: 'signature' }, rootOf(pdf));
  const signatureRef = update.add(signature.text);
  const lockRef = options.lock && update.add(lockDictionary(options.lock));
  const keys = { V: signatureRef, Lock: lockRef };
  const newField = await writeField(update, target, keys, options.appearance);
  changeCatalog(update, {
    hasSignature: true,
    ...(newField ? { newField: newField.toString() } : {}),
    ...(options.certify ? { certification: signatureRef.toString() } : {}),
  });
  return withByteRange(update.finish(), signatureRef, signature, target.name);
}

/** Adds an invisible time-stamp over the whole document. Locks and certifications permit it (ISO 32000-2, 12.8.2.2.2). */
export function prepareDocumentTimestamp(pdf: ReadPdf, reserve: number): PreparedPdf {
  refuseRepairOfSigned(pdf.isSearched, pdf.isSigned);
  const name = freeName(pdf.form.names);
  const update = new Update(pdf.document);
  const signature = signatureDictionary({ kind: 'documentTimestamp', reserve }, rootOf(pdf));
  const signatureRef = update.add(signature.text);
  const field = addField(update, name, `/V ${signatureRef}`, hiddenLook(update));
  changeCatalog(update, { hasSignature: true, newField: field.toString() });
  return withByteRange(update.finish(), signatureRef, signature, name);
}

function rootOf({ document: { catalog } }: ReadPdf): string {
  return `${catalog.num} ${catalog.gen} R`;
}

/** Returns the field if it is new. */
async function writeField(
  update: Update,
  { name, field }: SignatureTarget,
  values: { V: Ref; Lock?: Ref | undefined },
  visible: VisibleSignature | undefined,
): Promise<Ref | undefined> {
  const { V, Lock } = values;
  if (!field) {
    const look = visible ? await visibleLook(update, visible) : hiddenLook(update);
    return addField(update, name, `/V ${V}${Lock ? `/Lock ${Lock}` : ''}`, look);
  }
  const appearance = await fieldLook(update, field, visible);
  fillField(update, field, { V: `${V}`, ...(Lock ? { Lock: `${Lock}` } : {}) }, appearance);
  return undefined;
}

/** Writes the byte range into its placeholder, now that the length is known. */
function withByteRange(
  updated: UpdatedPdf,
  ref: Ref,
  signature: SignatureText,
  fieldName: string,
): PreparedPdf {
  const { bytes, valueStarts } = updated;
  const start = valueStarts.get(ref.num) ?? 0;
  const gapStart = start + signature.contents.start;
  const gapEnd = start + signature.contents.end;
  const byteRange: ByteRange = [0, gapStart, gapEnd, bytes.length - gapEnd];
  bytes.write(
    `[${byteRange.join(' ')}`.padEnd(room(signature) - 1),
    start + signature.byteRange.start,
    'latin1',
  );
  return { bytes, byteRange, fieldName };
}

const room = ({ byteRange }: SignatureText): number => byteRange.end - byteRange.start;
