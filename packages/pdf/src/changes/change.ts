/** What may have become of a PDF from one revision to the next. */
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

/** `doubtful`: permitted, and may hide what was signed. */
export type Level = 'permitted' | 'doubtful' | 'forbidden';

/** One thing that a revision changed. */
export interface Change {
  /** Which revision made it, from 1. */
  revision: number;
  /** Such as `12 0`. */
  object: string;
  /** Where it is reached from the trailer, such as `/Root/AcroForm/Fields[0]`. */
  path: string;
  code: ChangeCode;
  /** By itself: what signatures permit may make it worse. */
  level: Level;
  /** The level of permission that it takes at least (ISO 32000-2, table 257). */
  least: 1 | 2 | 3;
  /** Of no account unless it is forbidden. */
  isMinor: boolean;
  /** Permitted by a certification of level 3, whatever its own level. */
  isGrantable: boolean;
  /** Fully qualified name of the field that it is about, where the document had that field before. */
  field?: string;
  /** It is about an annotation that this revision added; signatures before it see that annotation as new. */
  bornIn?: number;
}

const SEVERITY: Readonly<Record<Level, number>> = { permitted: 0, doubtful: 1, forbidden: 2 };

/** At most `max` of the items in their order: those of the worst levels, and of one level the first. */
export function worstOf<T extends { level: Level }>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  const ranked = items.map((item, index) => ({ index, severity: SEVERITY[item.level] }));
  ranked.sort((a, b) => b.severity - a.severity || a.index - b.index);
  const kept = new Set(ranked.slice(0, max).map(({ index }) => index));
  return items.filter((_, index) => kept.has(index));
}
