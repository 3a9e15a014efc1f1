import { tooComplex, unlessMalformed } from '@scriptorium/pdf/error';
import { certifyingSignature } from '@scriptorium/pdf/permissions';
import {
  Dict,
  eachPage,
  inheritedFrom,
  isName,
  type PdfDocument,
  PdfString,
  type PdfValue,
} from '@scriptorium/pdf/read';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import { foundSignature, keyOf, type Signatures } from './found-signature.ts';

const UNLISTED = 'The form of the document does not contain the signature.';

/**
 * Adds the signatures that no form lists: those of widgets listed only by a page, and the certification that the catalog
 * names. Usage rights (/UR3) are left out, because they are not a signature of the document (ISO 32000-2, 12.8.2.3,
 * deprecates them). Throws DOCUMENT_TOO_COMPLEX.
 */
export function addUnlisted(signatures: Signatures, document: PdfDocument): void {
  for (const widget of widgets(document)) {
    const signature = unlessMalformed(() => signatureOf(document, widget));
    if (signature instanceof Dict) add(signatures, document, nameOf(document, widget), signature);
  }
  const certification = unlessMalformed(() => certifyingSignature(document));
  if (certification) add(signatures, document, 'DocMDP', certification);
}

function signatureOf(document: PdfDocument, widget: Dict): PdfValue {
  const isSignature = isName(inheritedFrom(document, widget, 'FT'), 'Sig');
  return isSignature ? inheritedFrom(document, widget, 'V') : null;
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

/** Iterates the annotations of all pages, each once. */
function* widgets(document: PdfDocument): Generator<Dict> {
  const seen = new Set<PdfValue>();
  for (const page of eachPage(document)) {
    const annotations = unlessMalformed(() => document.get(page, 'Annots'));
    if (!Array.isArray(annotations) || seen.has(annotations)) continue;
    seen.add(annotations);
    for (const item of annotations) {
      const annotation = unlessMalformed(() => document.resolve(item));
      if (!(annotation instanceof Dict) || seen.has(annotation)) continue;
      seen.add(annotation);
      yield annotation;
    }
  }
}

function nameOf(document: PdfDocument, widget: Dict): string {
  const title = inheritedFrom(document, widget, 'T');
  return title instanceof PdfString ? title.text : '';
}
