import type { PdfDocument } from '../read/document.ts';
import { Dict, type PdfValue, Ref, Stream } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { isDeepEqual, keepsLength } from './deep-equal.ts';

const DEPTH_MAX = 24;
const STEP_COST = 16;

/**
 * Whether two values mean the same. Object numbers may differ, because writers copy resources and dictionaries. The
 * revision must not change an object that keeps its number.
 */
export function isSameMeaning(c: Comparison, before: PdfValue, now: PdfValue, depth = 0): boolean {
  c.budget.spend('compared', STEP_COST);
  if (depth > DEPTH_MAX) return false;
  if (before instanceof Ref && now instanceof Ref && before.num === now.num && before.gen === now.gen)
    return !c.changed.has(now.num);
  const [a, b] = [c.older.resolve(before), c.newer.resolve(now)];
  // Readers that look for a missing object repair the file.
  if (now instanceof Ref && b === null) return false;
  if (a instanceof Stream && b instanceof Stream) {
    c.budget.spend('compared', a.data.length);
    return (
      keepsLength(c.older, a, c.newer, b) &&
      a.data.equals(b.data) &&
      areSameDicts(c, a.dict, b.dict, depth, ['Length'])
    );
  }
  if (a instanceof Dict && b instanceof Dict) return areSameDicts(c, a, b, depth);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => isSameMeaning(c, item, b[at] ?? null, depth + 1));
  if (isContainer(a) || isContainer(b)) return false;
  return isDeepEqual(c.older, a, c.newer, b);
}

const isContainer = (value: PdfValue): boolean =>
  value instanceof Stream || value instanceof Dict || Array.isArray(value);

function areSameDicts(
  c: Comparison,
  a: Dict,
  b: Dict,
  depth: number,
  ignored: readonly string[] = [],
): boolean {
  if (a.repeatedKeys.length > 0 || b.repeatedKeys.length > 0) return false;
  const keys = new Set([...keysOf(c.older, a), ...keysOf(c.newer, b)]);
  return [...keys].every(
    (key) => ignored.includes(key) || isSameMeaning(c, a.get(key), b.get(key), depth + 1),
  );
}

const keysOf = (document: PdfDocument, dict: Dict): string[] =>
  [...dict.entries.keys()].filter((key) => dict.get(key) instanceof Ref || document.get(dict, key) !== null);
