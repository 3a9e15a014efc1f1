import { type Change, type ChangeCode, worstOf } from './change.ts';
import type { ChangeHistory } from './history.ts';

/** What a signature permits to be changed after it. */
export interface PermittedChanges {
  /** 1 no changes, 2 form filling and signing, 3 annotations too (ISO 32000-2, table 257); undefined permits as 3 does. */
  docMdp?: 1 | 2 | 3;
  /** Whether a signature locked a field, by its full name. */
  isLocked(field: string): boolean;
}

/** A change as a signature before it sees it. */
export type Modification = Omit<Change, 'field'>;

/** Of one signature. */
const MODIFICATIONS_MAX = 1_000;

/** The level of permission that a kind of change takes at least; 2 where it is not here. */
const LEAST: Partial<Record<ChangeCode, 1 | 2 | 3>> = {
  VALIDATION_DATA: 1,
  DOCUMENT_TIMESTAMP: 1,
  METADATA: 1,
  ANNOTATION_ADDED: 3,
  ANNOTATION_CHANGED: 3,
  ANNOTATION_REMOVED: 3,
};

function judged({ field, ...change }: Change, permitted: PermittedChanges): Modification {
  const { docMdp = 3 } = permitted;
  if (field !== undefined && permitted.isLocked(field) && change.level !== 'forbidden')
    return { ...change, code: 'FIELD_LOCKED', level: 'forbidden' };
  const isBeyond = docMdp < (LEAST[change.code] ?? 2);
  return { ...change, level: isBeyond ? 'forbidden' : change.level };
}

/**
 * What became of a document after the revision that a signature signs, in the order of revisions, each by what that
 * signature permits. Of very many those of the worst levels are kept.
 */
export function modificationsAfter(
  history: ChangeHistory,
  signedRevision: number,
  permissions: PermittedChanges,
): Modification[] {
  const all: Modification[] = [];
  for (const { number } of history.revisions) {
    if (number <= signedRevision) continue;
    for (const change of history.step(number)) all.push(judged(change, permissions));
  }
  return worstOf(all, MODIFICATIONS_MAX);
}
