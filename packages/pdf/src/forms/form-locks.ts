import { ChangeHistory } from '../changes/history.ts';
import { modificationsAfter } from '../changes/modifications.ts';
import { malformed } from '../pdf-error.ts';
import type { PdfDocument } from '../read/document.ts';
import { readForm as readSignatures } from '../read/form.ts';
import { pageSignatures } from '../read/page-signatures.ts';
import { certifyingSignature, docMdpLevel, isLocked, lockedFields } from '../read/permissions.ts';
import type { Dict } from '../read/values.ts';
import { openRevisions } from '../revisions/revisions.ts';
import { type EntryIssue, FormError } from './form-error.ts';
import { type FormField, has } from './form-fields.ts';

/** What signatures and an encryption permit of a form. */
export interface FormLocks {
  isSigned: boolean;
  docMdp: 1 | 2 | 3 | undefined;
  /** The signature field whose signature locked a field. */
  lockOf(field: string): string | undefined;
}

export function locksOf(document: PdfDocument): FormLocks {
  const { signatureFields } = readSignatures(document);
  const signatures = new Map<Dict, { name: string; signature: Dict }>();
  for (const { name, signature } of signatureFields)
    if (signature) signatures.set(signature, { name, signature });
  // Some files list a signature on its page only.
  for (const own of pageSignatures(document))
    if (!signatures.has(own.signature)) signatures.set(own.signature, own);
  const locks = lockedFields(document, [...signatures.values()]);
  return {
    isSigned: certifyingSignature(document) !== undefined || signatures.size > 0,
    docMdp: docMdpLevel(document, signatureFields),
    lockOf: (field) => locks.find((lock) => isLocked(lock, field))?.by,
  };
}

/** Throws DOCUMENT_LOCKED if a document may not be filled or flattened at all, and UNPROCESSABLE for forms of other kinds. */
export function refuseForms(
  document: PdfDocument,
  { isSigned, docMdp }: FormLocks,
  {
    isSearched,
    flatten,
    hasXfa,
    fields,
  }: { isSearched: boolean; flatten: boolean; hasXfa: boolean; fields: number },
): void {
  const refuse = (message: string) => {
    throw new FormError('DOCUMENT_LOCKED', message);
  };
  const isDynamic = document.get(document.catalog.value, 'NeedsRendering') === true;
  if (hasXfa && (isDynamic || fields === 0))
    throw new FormError(
      'UNPROCESSABLE',
      'The PDF is a dynamic XFA form: its pages and fields exist only in a reader for XFA.',
    );
  if (!isSigned) {
    const { rights } = document;
    if (!rights.signField) refuse('The permissions of the encrypted PDF do not allow filling its form.');
    if (flatten && !rights.modify)
      refuse('The permissions of the encrypted PDF do not allow flattening its form.');
    return;
  }
  if (isSearched)
    throw malformed('its cross-reference data are broken, and a repair would break its signatures');
  if (docMdp === 1) refuse('A signature does not permit any change of the PDF.');
  if (flatten) refuse('The PDF is signed, and flattening would break its signatures.');
  if (hasXfa)
    throw new FormError(
      'UNPROCESSABLE',
      'The PDF is signed, and its XFA form would keep other values than its fields.',
    );
}

/** What signatures say against filling a field. */
export function lockIssue(locks: FormLocks, field: FormField): string | undefined {
  if (!locks.isSigned) return undefined;
  const by = locks.lockOf(field.name);
  if (by !== undefined) return `is locked by the signature in the field \`${by}\``;
  return has(field, 'readOnly') ? 'is read-only, and the PDF is signed' : undefined;
}

const CHANGES_SHOWN_MAX = 5;

/** Throws DOCUMENT_LOCKED if the newest revision has a change that a verifier would not accept. */
export function checkPermitted(
  bytes: Buffer,
  locks: FormLocks,
  filled: readonly EntryIssue[],
  password: string | undefined,
): void {
  const { revisions } = openRevisions(bytes, password);
  const pair = revisions.slice(-2);
  const [older] = pair;
  if (pair.length < 2 || older === undefined) return;
  const permitted = {
    docMdp: locks.docMdp ?? 3,
    isLocked: (field: string) => locks.lockOf(field) !== undefined,
  };
  const wrong = modificationsAfter(new ChangeHistory(pair, () => false), older.number, permitted).filter(
    ({ level }) => level !== 'permitted',
  );
  if (wrong.length === 0) return;
  const codes = [...new Set(wrong.map(({ code }) => code))].slice(0, CHANGES_SHOWN_MAX).join(', ');
  throw new FormError(
    'DOCUMENT_LOCKED',
    `The signatures of the PDF do not permit this: a verifier would report ${codes}.`,
    filled,
  );
}
