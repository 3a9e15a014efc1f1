import { readBox } from '../read/pages.ts';
import { Dict, PdfString, type PdfValue, Ref } from '../read/values.ts';
import { hasRepeatedKeys } from './changed-objects.ts';
import type { Comparison } from './comparison.ts';
import { changedKeys, isDeepEqual } from './deep-equal.ts';
import { fieldName, fieldType, looksSigned, signatureOf } from './field.ts';
import { objectValue } from './object-usage.ts';
import { signatureCode } from './signature-code.ts';

/** A form may be made with these; others change what is filled in or who does it. */
const PLAIN_KEYS = ['DA', 'DR', 'Q'];
const PARENTS_MAX = 32;

/** What a revision did to the form, as far as widgets have to know. */
export interface FormChange {
  /** Whether a widget belongs to a signature field that was added, or that no page showed before. */
  isNewSignature(num: number, widget: Dict): boolean;
}

function formOf(c: Comparison, which: 'older' | 'newer'): Dict | undefined {
  const document = c[which];
  return document.dict(document.catalog.value, 'AcroForm');
}

function itemsOf(c: Comparison, which: 'older' | 'newer'): PdfValue[] {
  const form = formOf(c, which);
  const fields = form ? c[which].get(form, 'Fields') : null;
  return Array.isArray(fields) ? fields : [];
}

const numOf = (item: PdfValue): number => (item instanceof Ref ? item.num : 0);

/** Where a field's tree begins. */
function rootOf(c: Comparison, num: number, field: Dict): number {
  let root = num;
  let node: Dict | undefined = field;
  for (let depth = 0; node && depth < PARENTS_MAX; depth++) {
    const parent = node.get('Parent');
    if (!(parent instanceof Ref)) return root;
    root = parent.num;
    node = c.newer.dict(node, 'Parent');
  }
  return root;
}

/** What widgets have to be told by; costs nothing until one is asked about. */
export function formChange(c: Comparison): FormChange {
  let before: Set<number> | undefined;
  let now: Set<number> | undefined;
  return {
    isNewSignature(num, widget) {
      if (fieldType(c.newer, widget) !== 'Sig') return false;
      before ??= new Set(itemsOf(c, 'older').map(numOf));
      now ??= new Set(itemsOf(c, 'newer').map(numOf));
      const root = rootOf(c, num, widget);
      if (!now.has(root)) return false;
      if (!before.has(root)) return true;
      const old = objectValue(c.older, num);
      return (
        old instanceof Dict && signatureOf(c.older, old) === undefined && fieldType(c.older, old) === 'Sig'
      );
    },
  };
}

/** Judges the form itself: its keys, and the list of its fields. `num` is the object that holds it. */
export function judgeForm(c: Comparison): void {
  const holder = c.newer.catalog.num;
  const before = formOf(c, 'older');
  const now = formOf(c, 'newer');
  if (!now) {
    if (before) c.report('FIELD_CHANGED', 'forbidden', holder, '/AcroForm');
    return;
  }
  const keys = before
    ? changedKeys(c.older, before, c.newer, now)
    : [...now.entries.keys()].filter((key) => c.newer.get(now, key) !== null);
  for (const key of keys) judgeFormKey(c, holder, before, now, key);
  judgeFields(c, holder);
}

function judgeFormKey(c: Comparison, holder: number, before: Dict | undefined, now: Dict, key: string): void {
  const at = `/AcroForm/${key}`;
  const old = before ? c.older.get(before, key) : null;
  const value = c.newer.get(now, key);
  if (key === 'Fields') return;
  if (key === 'SigFlags') {
    const bits = typeof old === 'number' ? old : 0;
    const isGrown = typeof value === 'number' && (bits & ~value) === 0;
    if (!isGrown) c.report('FIELD_CHANGED', 'forbidden', holder, at);
  } else if (key === 'NeedAppearances') {
    if (value === true) c.report('FIELD_APPEARANCE', 'forbidden', holder, at);
    else if (old === true) c.report('FIELD_APPEARANCE', 'doubtful', holder, at);
  } else if (key === 'DR' && value instanceof Dict) {
    const isKept = !(old instanceof Dict) || keepsResources(c, old, value);
    if (!isKept) c.report('RESOURCE', 'doubtful', holder, at);
  } else if (!PLAIN_KEYS.includes(key)) c.report('FIELD_CHANGED', 'forbidden', holder, at);
  else if (old !== null) c.report('FIELD_APPEARANCE', 'doubtful', holder, at);
}

/**
 * Whether the resources of a form are still there, whatever was added. Nothing is drawn with them, unless a reader
 * draws a field anew.
 */
export function keepsResources(c: Comparison, before: Dict, now: Dict): boolean {
  return [...before.entries].every(([kind, { value }]) => {
    const [old, names] = [c.older.resolve(value), c.newer.get(now, kind)];
    if (old instanceof Dict && names instanceof Dict) return keepsNames(c, old, names);
    return isDeepEqual(c.older, old, c.newer, names);
  });
}

/** As `keepsResources`, of those of one kind. */
export function keepsNames(c: Comparison, before: Dict, now: Dict): boolean {
  // Writers copy the fonts that they use: by what they refer to, not by its number.
  return [...before.entries].every(([name, { value }]) =>
    isDeepEqual(c.older, c.older.resolve(value), c.newer, c.newer.get(now, name)),
  );
}

function judgeFields(c: Comparison, holder: number): void {
  const [older, newer] = [itemsOf(c, 'older'), itemsOf(c, 'newer')];
  c.budget.spend('items', older.length + newer.length);
  const before = new Set(older.map(numOf));
  const now = new Set(newer.map(numOf));
  for (const num of before) if (num !== 0 && !now.has(num)) judgeRemovedField(c, num);
  for (const [index, item] of newer.entries()) {
    const num = numOf(item);
    if (num === 0) c.report('FIELD_CHANGED', 'forbidden', holder, `/AcroForm/Fields[${index}]`);
    else if (!before.has(num)) judgeAddedField(c, num, 0);
  }
}

function judgeRemovedField(c: Comparison, num: number): void {
  const field = objectValue(c.older, num);
  const signature = field instanceof Dict ? signatureOf(c.older, field) : undefined;
  const name = field instanceof Dict ? fieldName(c.older, field) : undefined;
  c.report(signature ? 'SIGNATURE_REPLACED' : 'FIELD_CHANGED', 'forbidden', num, '', name);
}

/** A field that is added has to be one for a signature, or to hold nothing but such. */
function judgeAddedField(c: Comparison, num: number, depth: number): void {
  c.budget.spend('items', 1);
  const field = objectValue(c.newer, num);
  if (!(field instanceof Dict) || depth > PARENTS_MAX) {
    c.report('FIELD_CHANGED', 'forbidden', num);
    return;
  }
  if (hasRepeatedKeys(c.newer, num)) c.report('STRUCTURE', 'forbidden', num);
  if (field.entries.has('AA') || field.entries.has('A')) c.report('ACTION', 'forbidden', num);
  const kids = c.newer.get(field, 'Kids');
  const fields = (Array.isArray(kids) ? kids : []).filter((kid) => {
    const dict = c.newer.resolve(kid);
    return dict instanceof Dict && c.newer.get(dict, 'T') instanceof PdfString;
  });
  if (fields.length > 0) for (const kid of fields) judgeAddedField(c, numOf(kid), depth + 1);
  else if (fieldType(c.newer, field) !== 'Sig') c.report('FIELD_CHANGED', 'forbidden', num);
  else judgeAddedSignature(c, num, field);
}

function judgeAddedSignature(c: Comparison, num: number, field: Dict): void {
  const signature = signatureOf(c.newer, field);
  if (signature && !looksSigned(c.newer, signature, c.older.bytes.length)) {
    c.report('FIELD_CHANGED', 'forbidden', num, '/V');
    return;
  }
  const code = signatureCode(c.newer, signature);
  const isSeen = readBox(c.newer.get(field, 'Rect'), c.newer) !== undefined || field.entries.has('Kids');
  c.report(code === 'DOCUMENT_TIMESTAMP' && isSeen ? 'SIGNATURE_ADDED' : code, 'permitted', num);
}
