import type { PdfDocument } from '../read/document.ts';
import { Dict, type PdfValue, Ref } from '../read/values.ts';
import { objectValue } from './object-usage.ts';

const PARENTS_MAX = 32;

export function formOf(document: PdfDocument): Dict | undefined {
  return document.dict(document.catalog.value, 'AcroForm');
}

export function fieldsOf(document: PdfDocument): PdfValue[] {
  const form = formOf(document);
  const fields = form ? document.get(form, 'Fields') : null;
  return Array.isArray(fields) ? fields : [];
}

export const numOf = (item: PdfValue): number => (item instanceof Ref ? item.num : 0);

const namesKid = (document: PdfDocument, parent: Dict, num: number): boolean => {
  const kids = document.get(parent, 'Kids');
  return Array.isArray(kids) && kids.some((kid) => numOf(kid) === num);
};

/** Whether a field or widget is in the form: each parent lists its child, and the form (`listed`) its root. */
export function isInForm(document: PdfDocument, num: number, listed: ReadonlySet<number>): boolean {
  let at = num;
  for (let depth = 0; depth < PARENTS_MAX; depth++) {
    const field = objectValue(document, at);
    if (!(field instanceof Dict)) return false;
    const parent = field.get('Parent');
    if (!(parent instanceof Ref)) return listed.has(at);
    const above = document.resolve(parent);
    if (!(above instanceof Dict) || !namesKid(document, above, at)) return false;
    at = parent.num;
  }
  return false;
}
