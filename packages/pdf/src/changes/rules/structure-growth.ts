import { Dict, isName, type PdfValue, Ref } from '../../read/values.ts';
import { hasRepeatedKeys } from '../changed-objects.ts';
import type { Comparison } from '../comparison.ts';
import { changedKeys, isDeepEqual } from '../deep-equal.ts';
import { objectValue } from '../object-usage.ts';
import { type Rule, type Subject, takes, WHOLE } from '../subject.ts';
import { isGrownTree, TREE_KEYS } from '../trees.ts';

/** Keys of an element that tags a widget or an annotation, without text or attributes. */
const ELEMENT_KEYS: ReadonlySet<string> = new Set(['Type', 'S', 'P', 'Pg', 'K', 'ID', 'R', 'NS']);
const REFERENCE_KEYS: ReadonlySet<string> = new Set(['Type', 'Obj', 'Pg']);
/** Keys of an element and of the root whose values may grow. */
const GROWING: ReadonlySet<string> = new Set(['K', 'ParentTree', 'ParentTreeNextKey', 'IDTree']);
const DEPTH_MAX = 12;

/**
 * Permits growth of the logical structure (ISO 32000-2, 14.7): writers tag the widgets and annotations that they add.
 * Existing elements must stay unchanged, and new elements may contain only references.
 */
export const structureGrowth: Rule = {
  name: 'structure growth',
  claim(c, subject) {
    const { kind, num, before, now } = subject;
    if (kind === 'catalog' && before instanceof Dict && now instanceof Dict) {
      if (!subject.pending.has('StructTreeRoot')) return;
      const [old, root] = [before.get('StructTreeRoot'), now.get('StructTreeRoot')];
      if (old !== null && isGrown(c, old, root)) claimed(c, subject, 'StructTreeRoot');
    } else if (kind === 'structure') {
      if (!hasRepeatedKeys(c.newer, num) && isGrown(c, before, now)) claimed(c, subject, WHOLE);
    } else if (kind === 'field' || kind === 'annotation') claimParentKey(c, subject);
  },
};

function claimed(c: Comparison, subject: Subject, key: string): void {
  takes(subject, key);
  c.reportOnce('LOGICAL_STRUCTURE', subject.num, { at: key && `/${key}` });
}

/** Claims the key that gives a widget or annotation its place in the structure. */
function claimParentKey(c: Comparison, subject: Subject): void {
  const { before, now } = subject;
  if (!(before instanceof Dict && now instanceof Dict)) return;
  const isNew = c.older.get(before, 'StructParent') === null;
  if (isNew && typeof c.newer.get(now, 'StructParent') === 'number') takes(subject, 'StructParent');
}

const isTreeNode = (value: PdfValue): value is Dict =>
  value instanceof Dict && [...TREE_KEYS].some((key) => value.entries.has(key));

/** Whether a value only gained children, or entries of the trees that find them. */
function isGrown(c: Comparison, before: PdfValue, now: PdfValue): boolean {
  c.budget.spend('items', 1);
  if (isDeepEqual(c.older, before, c.newer, now)) return true;
  const [old, value] = [c.older.resolve(before), c.newer.resolve(now)];
  if (isTreeNode(old) && !old.entries.has('S') && value instanceof Dict) return isGrownTree(c, old, value);
  if (old instanceof Dict && value instanceof Dict) return isGrownDict(c, old, value);
  return isGrownList(c, old, value);
}

function isGrownDict(c: Comparison, old: Dict, value: Dict): boolean {
  // An empty tree counts as a missing one.
  if (old.entries.size === 0) return isGrownTree(c, old, value);
  return changedKeys(c.older, old, c.newer, value).every((key) => {
    if (!GROWING.has(key)) return false;
    const [before, now] = [old.get(key), value.get(key)];
    if (key === 'ParentTreeNextKey') return isHigher(c.older.resolve(before), c.newer.resolve(now));
    if (c.older.resolve(before) !== null) return now !== null && isGrown(c, before, now);
    return key === 'K' ? isGrownList(c, [], now) : c.newer.resolve(now) instanceof Dict;
  });
}

const isHigher = (before: PdfValue, now: PdfValue): boolean =>
  typeof now === 'number' && (typeof before === 'number' ? now > before : before === null);

/** Whether a list keeps its children in order, and all new children are plain. */
function isGrownList(c: Comparison, old: PdfValue, now: PdfValue): boolean {
  const list = (value: PdfValue) => (Array.isArray(value) ? value : value === null ? [] : [value]);
  const before = list(old);
  const items = list(
    Array.isArray(now) ? now : Array.isArray(c.newer.resolve(now)) ? c.newer.resolve(now) : now,
  );
  let next = 0;
  for (const item of items) {
    if (next < before.length && isDeepEqual(c.older, before[next] ?? null, c.newer, item)) next++;
    else if (!isPlainChild(c, item, 0)) return false;
  }
  return next === before.length;
}

/** Whether a new child is an element without text, or an object reference. It must not claim page content. */
function isPlainChild(c: Comparison, item: PdfValue, depth: number): boolean {
  c.budget.spend('items', 1);
  if (depth > DEPTH_MAX) return false;
  if (item instanceof Ref && (objectValue(c.older, item.num) !== null || hasRepeatedKeys(c.newer, item.num)))
    return false;
  const child = c.newer.resolve(item);
  if (!(child instanceof Dict)) return false;
  const keys = [...child.entries.keys()];
  if (isName(c.newer.get(child, 'Type'), 'OBJR')) return keys.every((key) => REFERENCE_KEYS.has(key));
  if (!keys.every((key) => ELEMENT_KEYS.has(key))) return false;
  const kids = c.newer.get(child, 'K');
  const list = Array.isArray(kids) ? kids : kids === null ? [] : [child.get('K')];
  return list.every((kid) => isPlainChild(c, kid, depth + 1));
}
