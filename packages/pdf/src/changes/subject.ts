import { type Dict, type PdfValue, Ref } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { changedKeys } from './deep-equal.ts';
import type { Part } from './object-parts.ts';

/** What a subject is: the part of an object that both revisions have, or what was added to or taken from a list. */
export type SubjectKind =
  | Exclude<Part, 'fields' | 'annots' | 'node' | 'annotation'>
  | 'page'
  | 'annotation'
  | 'addedField'
  | 'addedAnnotation'
  | 'removedAnnotation'
  | 'annotationOrder';

/** The key of a subject that is no dictionary, or is judged as a whole. */
export const WHOLE = '';

/**
 * Something that a revision changed, added or removed, and the keys of it that differ. A rule claims the keys whose
 * difference it permits or doubts, by taking them; a key that no rule takes is forbidden.
 */
export interface Subject {
  kind: SubjectKind;
  /** The object that it is or lies in. */
  num: number;
  /** The rest of the way from that object. */
  at: string;
  /** Null for what was added. */
  before: PdfValue;
  /** Null for what was removed. */
  now: PdfValue;
  /** The page that shows it; undefined for what no page shows. */
  page?: number | undefined;
  /** The full name of its field in the older revision. */
  field?: string | undefined;
  /** Keys that differ and that no rule has taken yet. */
  pending: Set<string>;
  /** Keys whose values are objects of their own that the revision changed. */
  within: ReadonlySet<string>;
}

/** A kind of change that signatures permit. */
export interface Rule {
  name: string;
  claim(c: Comparison, subject: Subject): void;
}

/** Takes those of the keys that differ; returns them. */
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

/** A dictionary of which all keys are new. */
export const added = (c: Comparison, basics: Basics & { now: Dict }): Subject => ({
  at: '',
  before: null,
  within: NONE,
  pending: new Set([...basics.now.entries.keys()].filter((key) => c.newer.get(basics.now, key) !== null)),
  ...basics,
});

/**
 * A dictionary that both revisions have. With `isMoved` it has another object number now: then objects that both refer
 * to count as differences if they changed, because the old reference to them may be gone.
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
