import { normalAppearance } from '../read/annotations.ts';
import type { PdfDocument } from '../read/document.ts';
import { eachPage } from '../read/pages.ts';
import { Dict, isName, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { inheritedField } from './field.ts';
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

/**
 * Whether readers draw a value of the form without a look, or a comment of text without one. They use the resources and defaults
 * of the form.
 */
export function drawsValues(document: PdfDocument, budget: Budget): boolean {
  const stack = [...fieldsOf(document)];
  const seen = new Set<PdfValue>();
  for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
    const field = document.resolve(item);
    if (!(field instanceof Dict) || seen.has(field)) continue;
    seen.add(field);
    budget.spend('items', 1);
    const kids = document.get(field, 'Kids');
    if (Array.isArray(kids) && !seen.has(kids)) {
      seen.add(kids);
      for (const kid of kids) stack.push(kid);
    }
    const value = inheritedField(document, field, 'V');
    const isText = value instanceof PdfString ? value.bytes.length > 0 : value instanceof Stream;
    const isShown = isName(document.get(field, 'Subtype'), 'Widget') && (isText || Array.isArray(value));
    if (isShown && !normalAppearance(document, field)) return true;
  }
  return [...eachPage(document)].some((page) => {
    const annotations = document.get(page, 'Annots');
    if (!Array.isArray(annotations)) return false;
    budget.spend('items', annotations.length);
    return annotations.some((item) => {
      const annotation = document.resolve(item);
      const isText = annotation instanceof Dict && isName(document.get(annotation, 'Subtype'), 'FreeText');
      return isText && !normalAppearance(document, annotation);
    });
  });
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
