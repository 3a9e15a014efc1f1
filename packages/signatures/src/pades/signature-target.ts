import { isLocked } from '@scriptorium/pdf/permissions';
import { Dict, type DocumentRights, Name, PdfString, type SignatureField } from '@scriptorium/pdf/read';
import type { FieldLock, Signing } from '../sign-request.ts';
import { SignatureError } from '../signature-error.ts';
import type { ReadPdf } from './read-pdf.ts';

/** The field to sign: an empty one of the document, or a new one. */
export interface SignatureTarget {
  name: string;
  field: SignatureField | undefined;
}

/** Returns `Signature1`, or the next unused number. */
export function freeName(names: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = `Signature${number}`;
    if (!names.has(name)) return name;
  }
}

function refuseField(issue: string): SignatureError {
  return new SignatureError('VALIDATION_ERROR', 'The signature field cannot be used.', {
    details: [{ field: 'field', issue }],
  });
}

const NAMES_SHOWN_MAX = 10;

function emptyFieldsOf({ signatureFields }: ReadPdf['form']): string {
  const empty = signatureFields.filter(({ signature }) => signature === undefined);
  if (empty.length === 0) return 'The document has no empty signature field.';
  const names = empty.slice(0, NAMES_SHOWN_MAX).map(({ name }) => `\`${name}\``);
  return `Empty ones are ${names.join(', ')}${empty.length > NAMES_SHOWN_MAX ? '…' : ''}.`;
}

/**
 * Throws FIELD_ALREADY_SIGNED, or VALIDATION_ERROR for a name that a signature field cannot have, and for a name without a
 * field if `mustExist`.
 */
export function targetField({ form }: ReadPdf, name: string | undefined, mustExist = false): SignatureTarget {
  if (name === undefined) return { name: freeName(form.names), field: undefined };
  const field = form.signatureFields.find((candidate) => candidate.name === name);
  if (field?.signature) {
    const issue = `The signature field \`${name}\` is already signed.`;
    throw new SignatureError('FIELD_ALREADY_SIGNED', issue, { details: [{ field: 'field', issue }] });
  }
  if (field) return { name, field };
  if (form.names.has(name))
    throw refuseField('A field of this name exists, but it is not a signature field.');
  if (mustExist) throw refuseField(`The signature field \`${name}\` does not exist. ${emptyFieldsOf(form)}`);
  if (name === '' || name.includes('.')) {
    throw refuseField('The field does not exist, and the name of a new field must not contain dots.');
  }
  return { name, field: undefined };
}

/** Throws DOCUMENT_LOCKED or UNPROCESSABLE if earlier signatures or the password do not permit this signature. */
export function refuseUnlessPermitted(
  pdf: ReadPdf,
  { name, field }: SignatureTarget,
  certify: Signing['certify'],
): void {
  const { docMdp, locks, isSigned, isSearched, document } = pdf;
  refuseWithoutRights(document.rights, { isNew: field === undefined, certify });
  if (docMdp === 1) {
    throw new SignatureError(
      'DOCUMENT_LOCKED',
      'An earlier signature does not permit any change of the document.',
    );
  }
  if (certify && docMdp) throw new SignatureError('DOCUMENT_LOCKED', 'The document is already certified.');
  if (certify && isSigned) {
    throw new SignatureError(
      'UNPROCESSABLE',
      'The document is already signed; only the first signature can certify it.',
    );
  }
  const lock = locks.find((candidate) => isLocked(candidate, name));
  if (lock) {
    const issue = `The signature in the field \`${lock.by}\` locked the field \`${name}\`.`;
    throw new SignatureError('DOCUMENT_LOCKED', issue, { details: [{ field: 'field', issue }] });
  }
  refuseRepairOfSigned(isSearched, isSigned);
}

/** Throws DOCUMENT_LOCKED if the password of an encrypted document does not permit this signature. */
function refuseWithoutRights(
  rights: DocumentRights,
  { isNew, certify }: { isNew: boolean; certify: Signing['certify'] },
): void {
  const refuse = (what: string) => {
    throw new SignatureError(
      'DOCUMENT_LOCKED',
      `The permissions of the encrypted document do not allow ${what}; the password of its owner does.`,
    );
  };
  if (certify && !rights.modify) refuse('its certification');
  if (isNew && !rights.addField) refuse('a new signature field');
  if (!isNew && !rights.signField) refuse('its signature');
}

/** A repair writes new cross-reference data, which changes the bytes that signatures cover. */
export function refuseRepairOfSigned(isSearched: boolean, isSigned: boolean): void {
  if (isSearched && isSigned) {
    throw new SignatureError(
      'INVALID_FILE_FORMAT',
      'The cross-reference data of the PDF are broken, and it is signed: a repair would break its signatures.',
    );
  }
}

/** Returns the lock that the author of an empty field set for its signature (ISO 32000-2, table 236). */
export function authorsLock(pdf: ReadPdf, field: SignatureField): FieldLock | undefined {
  const lock = pdf.document.dict(field.object.value, 'Lock');
  const action = lock && pdf.document.get(lock, 'Action');
  if (!(lock instanceof Dict) || !(action instanceof Name)) return undefined;
  if (action.text === 'All') return { action: 'all' };
  if (action.text !== 'Include' && action.text !== 'Exclude') return undefined;
  const names = pdf.document.get(lock, 'Fields');
  const fields = (Array.isArray(names) ? names : []).map((item) => pdf.document.resolve(item));
  return {
    action: action.text === 'Include' ? 'include' : 'exclude',
    fields: fields.filter((item) => item instanceof PdfString).map(({ text }) => text),
  };
}
