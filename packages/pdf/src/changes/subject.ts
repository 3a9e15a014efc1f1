import { type Dict, type PdfValue, Ref } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { changedKeys } from './deep-equal.ts';
import type { Part } from './object-parts.ts';

/** The kind of a subject: the part of an object in both revisions, or an item added to or removed from a list. */
export type SubjectKind =
  | Exclude<Part, 'fields' | 'annots' | 'node' | 'annotation'>
  | 'page'
  | 'annotation'
  | 'addedField'
  | 'addedAnnotation'
  | 'removedAnnotation'
  | 'annotationOrder';

/** The key of a subject that is not a dictionary, or that is judged as a whole. */
export const WHOLE = '';

/**
 * A value that a revision changed, added or removed, with its differing keys. A rule takes the keys whose difference it
 * permits or doubts. A key that no rule takes is forbidden.
 */
export interface Subject {
  kind: SubjectKind;
  /** The number of the object, or of the object that contains it. */
  num: number;
  /** The path from that object. */
  at: string;
  /** Null if it was added. */
  before: PdfValue;
  /** Null if it was removed. */
  now: PdfValue;
  /** The page that shows it; undefined if no page does. */
  page?: number | undefined;
  /** The full name of its field in the older revision. */
  field?: string | undefined;
  /** Differing keys that no rule has taken yet. */
  pending: Set<string>;
  /** Keys whose values are indirect objects that the revision changed. */
  within: ReadonlySet<string>;
}

/** A kind of change that signatures permit. */
export interface Rule {
  name: string;
  claim(c: Comparison, subject: Subject): void;
}

/** Takes and returns those of the keys that differ. */
export function take(subject: Subject, keys: Iterable<string>): string[] {
  return [...keys].filter((key) => subject.pending.delete(key));
}

export function takes(subject: Subject, key: string): boolean {
  return subject.pending.delete(key);
}

const NONE: ReadonlySet<string> = new Set();

type Basics = Pick<Subject, 'kind' | 'num'> & Partial<Subject>;

/** A subject that is judged as a whole. */
export const whole = (basics: Basics): Subject => ({
  at: '',
  before: null,
  now: null,
  within: NONE,
  pending: new Set([WHOLE]),
  ...basics,
});

/** A dictionary whose keys are all new. */
export const added = (c: Comparison, basics: Basics & { now: Dict }): Subject => ({
  at: '',
  before: null,
  within: NONE,
  pending: new Set(
    [...basics.now.entries].flatMap(([key, { value }]) =>
      value instanceof Ref || c.newer.resolve(value) !== null ? [key] : [],
    ),
  ),
  ...basics,
});

/**
 * A dictionary that both revisions have. `isMoved` means that its object number changed. Then changed objects that both
 * refer to count as differences, because the old reference to them may be gone.
 */
export function altered(
  c: Comparison,
  basics: Basics & { before: Dict; now: Dict },
  { within = NONE, isMoved = false }: { within?: ReadonlySet<string>; isMoved?: boolean } = {},
): Subject {
  const { before, now } = basics;
  const keys = new Set([...changedKeys(c.older, before, c.newer, now), ...within]);
  if (isMoved) {
    for (const [key, { value }] of now.entries) {
      if (value instanceof Ref && c.changed.has(value.num)) keys.add(key);
    }
  }
  return { at: '', within, pending: keys, ...basics };
}
