import type { Dict } from './values.ts';

/** The position of an object (ISO 32000-2, 7.5.4 and 7.5.8.3). */
export type XrefEntry =
  | { kind: 'free' }
  | { kind: 'plain'; offset: number; gen: number }
  /** In object stream number `stream`. */
  | { kind: 'packed'; stream: number; index: number };

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
