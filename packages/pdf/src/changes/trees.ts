import type { PdfDocument } from '../read/document.ts';
import { Dict, PdfString, type PdfValue } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { changedKeys, isDeepEqual } from './deep-equal.ts';

const DEPTH_MAX = 12;
const TREE_ITEMS_MAX = 200_000;

export const TREE_KEYS: ReadonlySet<string> = new Set(['Nums', 'Names', 'Kids', 'Limits']);

type Key = number | string;

/** A number or name tree (ISO 32000-2, 7.9.6 and 7.9.7), in the order of its leaves. */
interface Tree {
  entries: Map<Key, PdfValue>;
  /** Keys are unique, sorted and within the limits of their nodes, so all readers find the same values. */
  isOrderly: boolean;
}

/** Whether a tree still finds all its old values, however its nodes are split now. */
export function isGrownTree(c: Comparison, old: Dict, now: Dict): boolean {
  if (changedKeys(c.older, old, c.newer, now).some((key) => !TREE_KEYS.has(key))) return false;
  const [before, found] = [treeOf(c, c.older, old), treeOf(c, c.newer, now)];
  if (!before || !found || (before.isOrderly && !found.isOrderly)) return false;
  for (const [key, value] of before.entries) {
    const left = found.entries.get(key);
    // Writers write equal lists again under other numbers.
    if (left === undefined || !isDeepEqual(c.older, c.older.resolve(value), c.newer, c.newer.resolve(left)))
      return false;
  }
  return true;
}

const keyOf = (value: PdfValue): Key =>
  typeof value === 'number' ? value : value instanceof PdfString ? value.bytes.toString('hex') : '';

/** Returns undefined if the value is not a tree. */
function treeOf(c: Comparison, document: PdfDocument, root: Dict): Tree | undefined {
  const entries = new Map<Key, PdfValue>();
  let isOrderly = true;
  let last: Key | undefined;
  const list = (node: Dict, key: string): PdfValue[] => {
    const items = document.get(node, key);
    return Array.isArray(items) ? items : [];
  };
  const limitsOf = (node: Dict): [Key, Key][] => {
    const [low, high] = list(node, 'Limits').map((item) => keyOf(document.resolve(item)));
    return low === undefined || high === undefined ? [] : [[low, high]];
  };
  const stack: { node: PdfValue; depth: number; limits: [Key, Key][] }[] = [
    { node: root, depth: 0, limits: [] },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const node = document.resolve(next.node);
    if (!(node instanceof Dict) || next.depth > DEPTH_MAX) return undefined;
    const limits = [...next.limits, ...limitsOf(node)];
    const [kids, nums, names] = ['Kids', 'Nums', 'Names'].map((key) => list(node, key)) as [
      PdfValue[],
      PdfValue[],
      PdfValue[],
    ];
    if ([kids, nums, names].filter((items) => items.length > 0).length > 1) isOrderly = false;
    for (const kid of kids.toReversed()) stack.push({ node: kid, depth: next.depth + 1, limits });
    const items = [...nums, ...names];
    c.budget.spend('items', 1 + items.length);
    for (let at = 0; at + 1 < items.length; at += 2) {
      const key = keyOf(document.resolve(items[at] ?? null));
      if (last !== undefined && last >= key) isOrderly = false;
      if (limits.some(([low, high]) => key < low || key > high)) isOrderly = false;
      last = key;
      entries.set(key, items[at + 1] ?? null);
    }
    if (entries.size > TREE_ITEMS_MAX) return undefined;
  }
  return { entries, isOrderly };
}
