import { tooComplex, unlessMalformed } from '@scriptorium/pdf/error';
import { certifyingSignature } from '@scriptorium/pdf/permissions';
import { type Dict, type PdfDocument, pageSignatures } from '@scriptorium/pdf/read';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import { foundSignature, keyOf, type Signatures } from './found-signature.ts';

const UNLISTED = 'The form of the document does not contain the signature.';

/**
 * Adds the signatures that no form lists: those of widgets listed only by a page, and the certification that the catalog
 * names. Usage rights (/UR3) are left out, because they are not a signature of the document (ISO 32000-2, 12.8.2.3,
 * deprecates them). Throws DOCUMENT_TOO_COMPLEX.
 */
export function addUnlisted(signatures: Signatures, document: PdfDocument): void {
  for (const { name, signature } of pageSignatures(document)) add(signatures, document, name, signature);
  const certification = unlessMalformed(() => certifyingSignature(document));
  if (certification) add(signatures, document, 'DocMDP', certification);
}

function add(signatures: Signatures, document: PdfDocument, name: string, signature: Dict): void {
  const key = keyOf(document, signature);
  if (signatures.has(key)) return;
  if (signatures.size === SIGNATURE_BOUNDS.signaturesMax)
    throw tooComplex(`more than ${SIGNATURE_BOUNDS.signaturesMax} signatures`);
  const unlisted = foundSignature(name, signature, undefined);
  unlisted.faults.push({ code: 'SIGNATURE_UNLISTED', message: UNLISTED });
  signatures.set(key, unlisted);
}
