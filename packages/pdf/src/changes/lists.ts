import { Dict, type PdfValue, Ref } from '../read/values.ts';
import { hasRepeatedKeys } from './changed-objects.ts';
import type { Comparison } from './comparison.ts';
import { isDeepEqual } from './deep-equal.ts';
import { fieldName, signatureOf } from './field.ts';
import { numOf } from './form-tree.ts';
import { objectValue } from './object-usage.ts';
import { added, type Subject, whole } from './subject.ts';

const DEPTH_MAX = 32;

const listOf = (value: PdfValue): PdfValue[] | undefined =>
  value === null ? [] : Array.isArray(value) ? value : undefined;

const keyOf = (item: PdfValue): string => (item instanceof Ref ? item.toString() : 'direct');

/** Whether the common items of both lists are in the same order. */
function isInOrder(before: readonly string[], now: readonly string[]): boolean {
  const [known, left] = [new Set(before), new Set(now)];
  const stayed = before.filter((key) => left.has(key));
  const order = now.filter((key) => known.has(key));
  return stayed.length === order.length && stayed.every((key, index) => key === order[index]);
}

/**
 * Makes subjects for the fields added to a list of the form, and for their descendants. Reports removed and moved
 * items, because readers find fields and their values through the list.
 */
export function addedFields(
  c: Comparison,
  before: Dict | undefined,
  now: Dict,
  key: 'Fields' | 'Kids',
  holder: Pick<Subject, 'num' | 'at' | 'field'>,
): Subject[] {
  const { num, field } = holder;
  const at = `${holder.at}/${key}`;
  const old = before ? listOf(c.older.get(before, key)) : [];
  const items = listOf(c.newer.get(now, key));
  if (!old || !items || !isInOrder(old.map(keyOf), items.map(keyOf))) {
    c.report('FIELD_CHANGED', 'forbidden', num, { at, field });
    return [];
  }
  c.budget.spend('items', old.length + items.length);
  const [known, left] = [new Set(old.map(numOf)), new Set(items.map(numOf))];
  for (const item of known) if (item !== 0 && !left.has(item)) reportRemoved(c, item);
  if (known.has(0) || left.has(0)) {
    if (!isDeepEqual(c.older, old, c.newer, items))
      c.report('FIELD_CHANGED', 'forbidden', num, { at, field });
    return [];
  }
  return [...left].filter((item) => !known.has(item)).flatMap((item) => fieldSubjects(c, item, 0));
}

function reportRemoved(c: Comparison, num: number): void {
  const field = objectValue(c.older, num);
  const signature = field instanceof Dict ? signatureOf(c.older, field) : undefined;
  const name = field instanceof Dict ? fieldName(c.older, field) : undefined;
  c.report(signature ? 'SIGNATURE_REPLACED' : 'FIELD_CHANGED', 'forbidden', num, { field: name });
}

function fieldSubjects(c: Comparison, num: number, depth: number): Subject[] {
  c.budget.spend('items', 1);
  const now = objectValue(c.newer, num);
  const isNew = !c.roles.isOnce(num, 'field');
  if (!(now instanceof Dict) || !isNew || depth > DEPTH_MAX) {
    c.report('FIELD_CHANGED', 'forbidden', num);
    return [];
  }
  if (hasRepeatedKeys(c.newer, num)) c.report('STRUCTURE', 'forbidden', num);
  const kids = listOf(c.newer.get(now, 'Kids')) ?? [];
  const below = kids.flatMap((kid) => fieldSubjects(c, numOf(kid), depth + 1));
  return [added(c, { kind: 'addedField', num, now }), ...below];
}

/** Makes subjects for the added and removed annotations of a page. */
export function annotationSubjects(c: Comparison, page: number): Subject[] {
  const before = annotationsOf(c, page, 'older');
  const now = annotationsOf(c, page, 'newer');
  if (!before || !now) {
    c.report('STRUCTURE', 'forbidden', page, { at: '/Annots' });
    return [];
  }
  c.budget.spend('items', before.length + now.length);
  judgeDirect(c, page, before, now);
  const [known, left] = [new Set(before.map(keyOf)), new Set(now.map(keyOf))];
  const subjects: Subject[] = [];
  for (const item of before) {
    const annotation = c.older.resolve(item);
    if (!(item instanceof Ref && annotation instanceof Dict) || left.has(keyOf(item))) continue;
    const { num } = item;
    const field = fieldName(c.older, annotation);
    subjects.push(whole({ kind: 'removedAnnotation', num, page, before: annotation, field }));
  }
  for (const item of now) {
    if (item instanceof Ref && !known.has(keyOf(item))) subjects.push(...addedAnnotation(c, page, item));
  }
  const isKept = isInOrder(
    before.map(keyOf).filter((key) => left.has(key)),
    now.map(keyOf),
  );
  if (!isKept) subjects.push(whole({ kind: 'annotationOrder', num: page }));
  return subjects;
}

function addedAnnotation(c: Comparison, page: number, item: Ref): Subject[] {
  const { num } = item;
  const now = c.newer.resolve(item);
  if (now === null) return [];
  if (!(now instanceof Dict)) {
    c.report('STRUCTURE', 'forbidden', num);
    return [];
  }
  if (hasRepeatedKeys(c.newer, num)) c.report('STRUCTURE', 'forbidden', num);
  return [added(c, { kind: 'addedAnnotation', num, page, now })];
}

/** Judges direct annotations, which only their index identifies. */
function judgeDirect(c: Comparison, page: number, before: PdfValue[], now: PdfValue[]): void {
  const [old, left] = [before, now].map((items) => items.filter((item) => !(item instanceof Ref)));
  const isKept = old?.every((item, index) => isDeepEqual(c.older, item, c.newer, left?.[index] ?? null));
  if (!isKept || old?.length !== left?.length)
    c.report('ANNOTATION_CHANGED', 'forbidden', page, { at: '/Annots' });
}

/** Undefined if the value is not an array. */
function annotationsOf(c: Comparison, page: number, which: 'older' | 'newer'): PdfValue[] | undefined {
  const dict = objectValue(c[which], page);
  const items = dict instanceof Dict ? c[which].get(dict, 'Annots') : null;
  return listOf(items)?.filter((item) => item !== null);
}
