/** The kinds of change between two revisions of a PDF. */
export type ChangeCode =
  | 'ACTION'
  | 'ANNOTATION_ADDED'
  | 'ANNOTATION_CHANGED'
  | 'ANNOTATION_REMOVED'
  | 'ATTACHMENT'
  | 'CATALOG'
  | 'CONTENT_COVERED'
  | 'DOCUMENT_TIMESTAMP'
  | 'FIELD_APPEARANCE'
  | 'FIELD_CHANGED'
  | 'FIELD_LOCKED'
  | 'FIELD_VALUE'
  | 'LOGICAL_STRUCTURE'
  | 'METADATA'
  | 'PAGE_CONTENT'
  | 'PAGE_TREE'
  | 'RESOURCE'
  | 'SHARED_OBJECT'
  | 'SIGNATURE_ADDED'
  | 'SIGNATURE_FIELD_ADDED'
  | 'SIGNATURE_FIELD_CHANGED'
  | 'SIGNATURE_REPLACED'
  | 'STRUCTURE'
  | 'VALIDATION_DATA';

/** `doubtful` means permitted, but the change may hide signed content. */
export type Level = 'permitted' | 'doubtful' | 'forbidden';

/** One thing that a revision changed. */
export interface Change {
  /** The revision that made the change, from 1. */
  revision: number;
  /** Object and generation number, such as `12 0`. */
  object: string;
  /** Path from the trailer, such as `/Root/AcroForm/Fields[0]`. */
  path: string;
  code: ChangeCode;
  /** The level of the change alone. The permissions of a signature may make it worse. */
  level: Level;
  /** The lowest permission level that allows it (ISO 32000-2, table 257). */
  least: 1 | 2 | 3;
  /** A minor change matters only if it is forbidden. */
  isMinor: boolean;
  /** A certification of level 3 permits it, whatever its own level. */
  isGrantable: boolean;
  /** Fully qualified name of the affected field, if the document already had that field. */
  field?: string;
  /** The page that it is on, from 1. */
  page?: number;
  /** The values of a field, as text. */
  values?: { before: string; after: string };
  /** The revision that added the affected annotation. Earlier signatures see that annotation as new. */
  bornIn?: number;
}

const SEVERITY: Readonly<Record<Level, number>> = { permitted: 0, doubtful: 1, forbidden: 2 };

/** Keeps at most `max` items in their order. The worst levels win; within one level, the first items win. */
export function worstOf<T extends { level: Level }>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  const ranked = items.map((item, index) => ({ index, severity: SEVERITY[item.level] }));
  ranked.sort((a, b) => b.severity - a.severity || a.index - b.index);
  const kept = new Set(ranked.slice(0, max).map(({ index }) => index));
  return items.filter((_, index) => kept.has(index));
}
