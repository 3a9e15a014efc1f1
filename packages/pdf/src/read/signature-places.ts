import { tooComplex } from '../pdf-error.ts';
import { BOUNDS } from './bounds.ts';
import type { PdfDocument } from './document.ts';
import { readForm } from './form.ts';
import { type Box, type Page, placedPages, readBox } from './pages.ts';
import { PdfString, Ref } from './values.ts';

/** An empty signature field. One without a place is invisible. */
export interface SignaturePlace {
  name: string;
  /** The text that readers show for it (/TU). */
  role?: string;
  /** From 1. */
  page?: number;
  rectangle?: Rectangle;
}

/** In points from the lower left corner of the page as displayed. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

const round = (points: number): number => Math.round(points * 1_000) / 1_000;

/** Returns the empty signature fields of a document in the order of its form. Throws PdfError. */
export function emptySignatureFields(document: PdfDocument): SignaturePlace[] {
  const fields = readForm(document).signatureFields.filter(({ signature }) => signature === undefined);
  const pages = annotationPlaces(document, new Set(fields.flatMap(({ widgetRef }) => widgetRef?.num ?? [])));
  return fields.map(({ name, object, widget, widgetRef }) => {
    const text = document.get(object.value, 'TU');
    const role = text instanceof PdfString && text.text !== '' ? { role: text.text } : {};
    const at = widgetRef && pages.get(widgetRef.num);
    const box = widget && readBox(document.get(widget.value, 'Rect'), document);
    if (!at || !box) return { name, ...role };
    return { name, ...role, page: at.number, rectangle: asDisplayed(box, at.page) };
  });
}

/** Where an annotation is. */
export interface AnnotationPlace {
  ref: Ref;
  number: number;
  page: Page;
}

/** Finds the pages of annotations by their object numbers: of all, or until the wanted ones are found. Throws PdfError. */
export function annotationPlaces(
  document: PdfDocument,
  wanted?: ReadonlySet<number>,
): Map<number, AnnotationPlace> {
  const found = new Map<number, AnnotationPlace>();
  if (wanted?.size === 0) return found;
  let number = 0;
  let annotations = 0;
  for (const page of placedPages(document)) {
    number += 1;
    const list = document.get(page.object.value, 'Annots');
    if (!Array.isArray(list)) continue;
    annotations += list.length;
    if (annotations > BOUNDS.fieldsMax) throw tooComplex(`more than ${BOUNDS.fieldsMax} annotations`);
    for (const item of list)
      if (item instanceof Ref && wanted?.has(item.num) !== false && !found.has(item.num))
        found.set(item.num, { ref: item, number, page });
    if (found.size === wanted?.size) break;
  }
  return found;
}

export function asDisplayed([left, bottom, right, top]: Box, { box, rotation }: Page): Rectangle {
  const corners = {
    0: [left - box[0], bottom - box[1]],
    90: [bottom - box[1], box[2] - right],
    180: [box[2] - right, box[3] - top],
    270: [box[3] - top, left - box[0]],
  };
  const [x = 0, y = 0] = corners[rotation];
  const [width, height] = [right - left, top - bottom];
  const isTurned = rotation % 180 !== 0;
  return {
    x: round(x),
    y: round(y),
    width: round(isTurned ? height : width),
    height: round(isTurned ? width : height),
  };
}
