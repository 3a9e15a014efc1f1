import { unlessMalformed } from '../pdf-error.ts';
import type { PdfDocument } from './document.ts';
import { eachPage, inheritedFrom } from './pages.ts';
import { Dict, isName, PdfString, type PdfValue } from './values.ts';

/** Yields the signatures of widgets that pages list, whether or not the form does. Throws DOCUMENT_TOO_COMPLEX. */
export function* pageSignatures(document: PdfDocument): Generator<{ name: string; signature: Dict }> {
  for (const widget of widgets(document)) {
    const signature = unlessMalformed(() => signatureOf(document, widget));
    if (!(signature instanceof Dict)) continue;
    const title = inheritedFrom(document, widget, 'T');
    yield { name: title instanceof PdfString ? title.text : '', signature };
  }
}

function signatureOf(document: PdfDocument, widget: Dict): PdfValue {
  const isSignature = isName(inheritedFrom(document, widget, 'FT'), 'Sig');
  return isSignature ? inheritedFrom(document, widget, 'V') : null;
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
