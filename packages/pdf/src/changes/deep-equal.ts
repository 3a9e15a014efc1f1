import type { PdfDocument } from '../read/document.ts';
import { Dict, Name, PdfString, type PdfValue, Ref, Stream } from '../read/values.ts';

/**
 * Whether two values mean the same. References are equal if they name the same object: that object is judged
 * separately. A reference is compared with a direct value through its target.
 */
export function isDeepEqual(
  older: PdfDocument,
  before: PdfValue,
  newer: PdfDocument,
  now: PdfValue,
): boolean {
  if (before instanceof Ref && now instanceof Ref) {
    if (before.num === now.num && before.gen === now.gen) return true;
  }
  const a = older.resolve(before);
  const b = newer.resolve(now);
  // Readers that look for a missing object repair the file.
  if (now instanceof Ref && b === null) return false;
  if (before instanceof Ref && now instanceof Ref) return isScalar(a) && isScalar(b) && isSameScalar(a, b);
  if (a instanceof Stream || b instanceof Stream) {
    if (!(a instanceof Stream && b instanceof Stream)) return false;
    return (
      keepsLength(older, a, newer, b) &&
      a.data.equals(b.data) &&
      isSameDict(older, a.dict, newer, b.dict, ['Length'])
    );
  }
  if (a instanceof Dict || b instanceof Dict) {
    return a instanceof Dict && b instanceof Dict && isSameDict(older, a, newer, b);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!(Array.isArray(a) && Array.isArray(b)) || a.length !== b.length) return false;
    return a.every((item, index) => isDeepEqual(older, item, newer, b[index] ?? null));
  }
  return isSameScalar(a, b);
}

/** Whether a stream keeps its direct length. Some readers use the length, others search for the end of the stream. */
export const keepsLength = (older: PdfDocument, before: Stream, newer: PdfDocument, now: Stream): boolean =>
  hasOwnLength(newer, now) || !hasOwnLength(older, before);

const hasOwnLength = (document: PdfDocument, { dict, data }: Stream): boolean =>
  document.get(dict, 'Length') === data.length;

const isScalar = (value: PdfValue): boolean =>
  !(Array.isArray(value) || value instanceof Dict || value instanceof Stream);

function isSameScalar(a: PdfValue, b: PdfValue): boolean {
  if (a instanceof Name && b instanceof Name) return a.text === b.text;
  if (a instanceof PdfString && b instanceof PdfString) return a.bytes.equals(b.bytes);
  return a === b;
}

function isSameDict(
  older: PdfDocument,
  before: Dict,
  newer: PdfDocument,
  now: Dict,
  ignored: readonly string[] = [],
): boolean {
  // Readers differ in which value of a repeated key they use.
  if (before.repeatedKeys.join() !== now.repeatedKeys.join()) return false;
  return changedKeys(older, before, newer, now).every((key) => ignored.includes(key));
}

/** The keys whose values differ. A null value counts as a missing key. */
export function changedKeys(older: PdfDocument, before: Dict, newer: PdfDocument, now: Dict): string[] {
  const keys = new Set([...before.entries.keys(), ...now.entries.keys()]);
  return [...keys].filter((key) => !isDeepEqual(older, before.get(key), newer, now.get(key)));
}
