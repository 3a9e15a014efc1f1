import { tooComplex } from '../pdf-error.ts';
import { BOUNDS } from '../read/bounds.ts';
import type { PdfDocument } from '../read/document.ts';
import { type Box, type Page, placedPages, readBox } from '../read/pages.ts';
import { Dict, isName, PdfString, type PdfValue, Ref } from '../read/values.ts';

/** A link annotation that stands for a field. */
export interface FoundPlace {
  address: string;
  ref: Ref;
  box: Box;
  /** The key of the annotation in the parent tree of the structure. */
  structParent: number | undefined;
}

/** A page with the links on it that stand for fields, in the order of its annotations. */
export interface PageOfPlaces {
  page: Page;
  places: readonly FoundPlace[];
  /** References that stay if the links of `places` are taken away. */
  others: readonly PdfValue[];
}

/** Finds the links to addresses for which `isPlace` is true, page by page. Throws PdfError. */
export function findPlaces(document: PdfDocument, isPlace: (address: string) => boolean): PageOfPlaces[] {
  const pages: PageOfPlaces[] = [];
  let count = 0;
  for (const page of placedPages(document)) {
    const list = document.get(page.object.value, 'Annots');
    if (!Array.isArray(list)) continue;
    count += list.length;
    if (count > BOUNDS.fieldsMax) throw tooComplex(`more than ${BOUNDS.fieldsMax} annotations`);
    const places: FoundPlace[] = [];
    const others: PdfValue[] = [];
    for (const item of list) {
      const place = item instanceof Ref ? placeOf(document, item) : undefined;
      if (place !== undefined && isPlace(place.address)) places.push(place);
      else others.push(item);
    }
    if (places.length > 0) pages.push({ page, places, others });
  }
  return pages;
}

function placeOf(document: PdfDocument, ref: Ref): FoundPlace | undefined {
  const link = document.resolve(ref);
  if (!(link instanceof Dict) || !isName(document.get(link, 'Subtype'), 'Link')) return undefined;
  const action = document.dict(link, 'A');
  const address = action && document.get(action, 'URI');
  const box = readBox(document.get(link, 'Rect'), document);
  if (!(address instanceof PdfString) || box === undefined) return undefined;
  const key = document.get(link, 'StructParent');
  return { address: address.text, ref, box, structParent: typeof key === 'number' ? key : undefined };
}
