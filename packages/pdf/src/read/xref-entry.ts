import type { Dict } from './values.ts';

/** Where an object lies (ISO 32000-2, 7.5.4 and 7.5.8.3). */
export type XrefEntry =
  | { kind: 'free' }
  | { kind: 'plain'; offset: number; gen: number }
  /** In object stream number `stream`. */
  | { kind: 'packed'; stream: number; index: number };

/** One cross-reference section: what one revision of the file says of its objects. */
export interface XrefSection {
  kind: 'table' | 'stream';
  /** Where it begins, as `startxref` and /Prev count. */
  offset: number;
  /** Its bytes in the file: from its keyword or number to behind its trailer or its stream. */
  start: number;
  end: number;
  trailer: Dict;
  find(num: number): XrefEntry | undefined;
  /** The object numbers that it speaks of, in runs. */
  runs: readonly { first: number; count: number }[];
  /** The highest object number that it speaks of. */
  numMax: number;
}
