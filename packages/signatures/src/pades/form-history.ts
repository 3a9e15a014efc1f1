import { malformed, tooComplex, unlessMalformed } from '@scriptorium/pdf/error';
import {
  Dict,
  findPage,
  type PdfDocument,
  type PdfValue,
  Ref,
  readForm,
  type SignatureField,
} from '@scriptorium/pdf/read';
import type { Flaw, ReadRevision, RevisionHistory } from '@scriptorium/pdf/revisions';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import { foundSignature, keyOf, type SignatureKey, type Signatures } from './found-signature.ts';

/**
 * Collects the signatures in the forms of all revisions. A signature counts as replaced if a later revision does not have
 * it in the same field and at the same place in the file. Revisions that cannot be read separately are flaws. Throws
 * DOCUMENT_TOO_COMPLEX, and INVALID_FILE_FORMAT if the newest cannot be read and no earlier one was signed.
 */
export function formHistory({ revisions, last }: RevisionHistory): {
  signatures: Signatures;
  flaws: Flaw[];
} {
  const signatures: Signatures = new Map();
  const flaws: Flaw[] = [];
  for (const revision of sinceFirstSignature(revisions, last)) {
    const fields = signedFields(revision);
    if (fields) note(signatures, revision, fields);
    else {
      const message = `Revision ${revision.number} of the file cannot be read separately.`;
      flaws.push({ code: 'STRUCTURE_BROKEN', position: revision.end, message });
    }
  }
  if (signatures.size === 0 && flaws.length > 0) throw malformed('its form is broken');
  return { signatures, flaws };
}

/** A signer writes a byte range into the file: earlier revisions do not matter and may have any form. */
function sinceFirstSignature(revisions: readonly ReadRevision[], last: ReadRevision): ReadRevision[] {
  const first = last.document.bytes.indexOf('/ByteRange', 0, 'latin1');
  const signed = first === -1 ? [last] : revisions.filter(({ end }) => end > first);
  if (signed.length <= SIGNATURE_BOUNDS.signedRevisionsMax) return signed;
  throw tooComplex(`more than ${SIGNATURE_BOUNDS.signedRevisionsMax} revisions since it was signed`);
}

function signedFields({ document }: ReadRevision): (SignatureField & { signature: Dict })[] | undefined {
  const signatureOf = (value: PdfValue) => {
    const read = unlessMalformed(() => [document.resolve(value)]);
    return read ? (read[0] ?? null) : unreadable(document, value);
  };
  return unlessMalformed(() =>
    findPage(document, 1) ? readForm(document, signatureOf).signatureFields.filter(isSigned) : undefined,
  );
}

/** Replaces a signature dictionary that cannot be read; it is empty. */
function unreadable(document: PdfDocument, value: PdfValue): Dict {
  const entry = value instanceof Ref ? document.xref.find(value.num) : undefined;
  return new Dict(document.bytes, entry?.kind === 'plain' ? document.base + entry.offset : 0);
}

const isSigned = (field: SignatureField): field is SignatureField & { signature: Dict } =>
  field.signature !== undefined;

function note(
  signatures: Signatures,
  { number, document }: ReadRevision,
  fields: (SignatureField & { signature: Dict })[],
): void {
  const names = new Map<SignatureKey, Set<string>>();
  for (const field of fields) {
    const key = keyOf(document, field.signature);
    const of = names.get(key) ?? new Set();
    names.set(key, of.add(field.name));
    if (!signatures.has(key)) signatures.set(key, foundSignature(field.name, field.signature, field));
    signatures.get(key)?.listedIn.add(number);
  }
  if (signatures.size > SIGNATURE_BOUNDS.signaturesMax)
    throw tooComplex(`more than ${SIGNATURE_BOUNDS.signaturesMax} signatures`);
  for (const [key, { name, faults }] of signatures) {
    if (names.get(key)?.has(name) || faults.some(({ code }) => code === 'SIGNATURE_REPLACED')) continue;
    const message = `Revision ${number} of the file removed the signature or put another one in its place.`;
    faults.push({ code: 'SIGNATURE_REPLACED', message });
  }
}
