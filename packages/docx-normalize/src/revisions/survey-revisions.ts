import type { Inspector } from '@scriptorium/ooxml/package';
import type { XmlVisitor } from '@scriptorium/ooxml/xml';
import { PROPERTY_CHANGES } from './names.ts';

/** Counts of the tracked changes and comments of a document. */
export interface RevisionCounts {
  /** Inserted spans of content, paragraph marks, rows and cells. */
  insertions: number;
  /** Deleted spans of content, paragraph marks, rows and cells. */
  deletions: number;
  /** Moved spans. Source and target count once. */
  moves: number;
  /** Changes of properties. */
  formatting: number;
  comments: number;
}

type Count = keyof RevisionCounts;

const COUNTED: Readonly<Record<string, Count>> = {
  'w:ins': 'insertions',
  'w14:conflictIns': 'insertions',
  'w:cellIns': 'insertions',
  'w:del': 'deletions',
  'w14:conflictDel': 'deletions',
  'w:cellDel': 'deletions',
  'w:moveToRangeStart': 'moves',
  'w:cellMerge': 'formatting',
  'w:numberingChange': 'formatting',
  'w:comment': 'comments',
  ...Object.fromEntries(PROPERTY_CHANGES.map((name) => [name, 'formatting' as const])),
};

/** Counts tracked changes and comments while a document is opened. `counts` is complete afterwards. */
export function surveyRevisions(): Inspector & { readonly counts: RevisionCounts } {
  const counts: RevisionCounts = { insertions: 0, deletions: 0, moves: 0, formatting: 0, comments: 0 };
  const visitor: XmlVisitor = {
    ...Object.fromEntries(
      Object.entries(COUNTED).map(([name, count]) => [name, { open: () => void counts[count]++ }]),
    ),
    // Some producers mark moved content without the range that makes it one move.
    'w:moveTo': {
      open: () => {
        if (counts.moves === 0) counts.moves = 1;
      },
    },
  };
  return { counts, visit: () => visitor };
}
