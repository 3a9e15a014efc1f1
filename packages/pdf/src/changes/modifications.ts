import { type Change, type Level, worstOf } from './change.ts';
import type { ChangeHistory } from './history.ts';

/** The changes that a signature permits after it. */
export interface PermittedChanges {
  /** 1 no changes, 2 form filling and signing, 3 also annotations (ISO 32000-2, table 257). Undefined means 3. */
  docMdp?: 1 | 2 | 3;
  /** Whether a signature locked a field, by its full name. */
  isLocked(field: string): boolean;
}

/** A change from the view of an earlier signature. */
export type Modification = Pick<
  Change,
  'revision' | 'level' | 'object' | 'path' | 'code' | 'field' | 'page' | 'values'
>;

/** Maximum number of modifications per signature. */
const MODIFICATIONS_MAX = 1_000;

/** The level of a change for a signature of `signedRevision`. */
function levelOf(change: Change, signedRevision: number, docMdp: 1 | 2 | 3 | undefined): Level {
  if ((docMdp ?? 3) < change.least) return 'forbidden';
  const isNews = change.bornIn !== undefined && change.bornIn > signedRevision;
  // An annotation added after signing may also be changed and removed.
  if (isNews && change.code !== 'CONTENT_COVERED' && change.level === 'doubtful') return 'permitted';
  // The signer knew earlier annotations and their places.
  if (change.isMinor && change.bornIn !== undefined && !isNews) return 'permitted';
  return change.isGrantable && docMdp === 3 ? 'permitted' : change.level;
}

function judged(
  change: Change,
  signedRevision: number,
  { docMdp, isLocked }: PermittedChanges,
): Modification | undefined {
  const { least: _, isMinor, isGrantable: __, bornIn: ___, ...shown } = change;
  const level = levelOf(change, signedRevision, docMdp);
  if (shown.field !== undefined && level !== 'forbidden' && isLocked(shown.field))
    return { ...shown, level: 'forbidden', code: 'FIELD_LOCKED' };
  if (isMinor && level === 'permitted') return undefined;
  return { ...shown, level };
}

/**
 * Lists the changes after the signed revision, in the order of revisions. The signature's permissions set their levels.
 * If there are too many, those of the worst levels are kept.
 */
export function modificationsAfter(
  history: ChangeHistory,
  signedRevision: number,
  permissions: PermittedChanges,
): Modification[] {
  const all: Modification[] = [];
  for (const { number } of history.revisions) {
    if (number <= signedRevision) continue;
    for (const change of history.step(number)) {
      const modification = judged(change, signedRevision, permissions);
      if (modification) all.push(modification);
    }
  }
  return worstOf(all, MODIFICATIONS_MAX);
}
