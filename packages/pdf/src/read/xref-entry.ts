import type { Dict } from './values.ts';

/** The position of an object (ISO 32000-2, 7.5.4 and 7.5.8.3). */
export type XrefEntry =
  | { kind: 'free' }
  | { kind: 'plain'; offset: number; gen: number }
  /** In object stream number `stream`. */
  | { kind: 'packed'; stream: number; index: number };

export const isFree = (entry: XrefEntry | undefined): boolean => !entry || entry.kind === 'free';

/** Whether two revisions have an object at the same position. A missing entry is the same as a free one. */
export function isSameEntry(a: XrefEntry | undefined, b: XrefEntry | undefined): boolean {
  if (isFree(a) || isFree(b)) return isFree(a) && isFree(b);
  if (a?.kind === 'plain' && b?.kind === 'plain') return a.offset === b.offset && a.gen === b.gen;
  return a?.kind === 'packed' && b?.kind === 'packed' && a.stream === b.stream && a.index === b.index;
}

/** One cross-reference section: the object positions of one revision. */
export interface XrefSection {
  kind: 'table' | 'stream';
  /** Its offset as `startxref` and /Prev give it. */
  offset: number;
  /** Its bytes in the file: from its keyword or object number to the end of its trailer or stream. */
  start: number;
  end: number;
  trailer: Dict;
  find(num: number): XrefEntry | undefined;
  /** Runs of the object numbers that it names. */
  runs: readonly { first: number; count: number }[];
  /** The highest object number that it names. */
  numMax: number;
}
