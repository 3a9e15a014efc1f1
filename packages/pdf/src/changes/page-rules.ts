import { Dict, Name, PdfString, type PdfValue, Ref } from '../read/values.ts';
import { judgeAddedAnnotation, judgeRemovedAnnotation } from './annotation-rules.ts';
import type { ChangeCode } from './change.ts';
import type { Comparison } from './comparison.ts';
import { changedKeys, isDeepEqual } from './deep-equal.ts';
import type { FormChange } from './form-rules.ts';
import { objectValue } from './object-usage.ts';

const CODES: Readonly<Record<string, ChangeCode>> = {
  Kids: 'PAGE_TREE',
  Count: 'PAGE_TREE',
  Parent: 'PAGE_TREE',
  Type: 'PAGE_TREE',
  Resources: 'RESOURCE',
  AA: 'ACTION',
  AF: 'ATTACHMENT',
};
/** When it was changed, in which order its fields are visited, and what structure it belongs to. */
const NOTES = ['LastModified', 'Tabs', 'StructParents'];

const isPlain = (value: PdfValue): boolean =>
  value instanceof Name || value instanceof PdfString || typeof value === 'number';

/** Judges a page, or a node of the page tree, that got another value. */
export function judgePage(c: Comparison, num: number, form: FormChange): void {
  const { before, now } = c.dicts(num);
  if (!before || !now) {
    c.report('PAGE_TREE', 'forbidden', num);
    return;
  }
  for (const key of changedKeys(c.older, before, c.newer, now)) {
    if (key === 'Annots') continue;
    const isNote = NOTES.includes(key) && isPlain(c.newer.get(now, key));
    if (isNote) c.reportOnce('METADATA', num, `/${key}`);
    else c.report(CODES[key] ?? 'PAGE_CONTENT', 'forbidden', num, `/${key}`);
  }
  judgeAnnotations(c, num, form);
}

const keyOf = (item: PdfValue): string => (item instanceof Ref ? item.toString() : 'direct');

/** Judges what is on a page that was not, and what is no more. */
export function judgeAnnotations(c: Comparison, page: number, form: FormChange): void {
  const before = itemsOf(c, page, 'older')?.filter((item) => item !== null);
  const now = itemsOf(c, page, 'newer')?.filter((item) => item !== null);
  if (!before || !now) {
    c.report('STRUCTURE', 'forbidden', page, '/Annots');
    return;
  }
  c.budget.spend('items', before.length + now.length);
  judgeDirect(c, page, before, now);
  const known = new Set(before.map(keyOf));
  const left = new Set(now.map(keyOf));
  for (const item of before) {
    if (item instanceof Ref && !left.has(keyOf(item))) judgeRemovedAnnotation(c, page, item);
  }
  for (const item of now) {
    if (item instanceof Ref && !known.has(keyOf(item))) judgeAddedAnnotation(c, page, item, form);
  }
  const stayed = before.map(keyOf).filter((key) => left.has(key));
  const order = now.map(keyOf).filter((key) => known.has(key));
  if (stayed.length !== order.length || stayed.some((key, index) => key !== order[index])) {
    c.report('ANNOTATION_CHANGED', 'doubtful', page, '/Annots');
  }
}

/** Annotations that are no objects of their own can only be told apart by their place. */
function judgeDirect(c: Comparison, page: number, before: PdfValue[], now: PdfValue[]): void {
  const [old, left] = [before, now].map((items) => items.filter((item) => !(item instanceof Ref)));
  const isKept = old?.every((item, index) => isDeepEqual(c.older, item, c.newer, left?.[index] ?? null));
  if (!isKept || old?.length !== left?.length) c.report('ANNOTATION_CHANGED', 'forbidden', page, '/Annots');
}

/** Undefined where it is no list. */
function itemsOf(c: Comparison, page: number, which: 'older' | 'newer'): PdfValue[] | undefined {
  const dict = objectValue(c[which], page);
  const items = dict instanceof Dict ? c[which].get(dict, 'Annots') : null;
  if (items === null) return [];
  return Array.isArray(items) ? items : undefined;
}
