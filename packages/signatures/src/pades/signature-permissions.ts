import type { PermittedChanges } from '@scriptorium/pdf/changes';
import { tooComplex, unlessMalformed } from '@scriptorium/pdf/error';
import {
  type DocMdpLevel,
  docMdpOf,
  isLocked,
  type LockedFields,
  lockedFields,
  lockLevel,
} from '@scriptorium/pdf/permissions';
import { SIGNATURE_BOUNDS } from './bounds.ts';
import type { PdfSignature } from './found-signature.ts';

/** The changes that signatures permit. */
export interface Permissions {
  docMdp?: DocMdpLevel;
  locks: readonly LockedFields[];
}

/** Converts the permissions for the comparison of revisions. */
export const asPermittedChanges = ({ docMdp, locks }: Permissions): PermittedChanges => ({
  ...(docMdp && { docMdp }),
  isLocked: (field) => locks.some((lock) => isLocked(lock, field)),
});

/**
 * Returns what a signature permits, as stated in its signed revision. This is the stricter level of its certification and its
 * field's lock, and the fields that it locks (ISO 32000-2, 12.8.2.2, 12.8.2.4 and table 236).
 */
export function permittedBy({ name, dict, field, certification, revision }: PdfSignature): Permissions {
  const { document } = revision;
  const levels = [
    certification,
    unlessMalformed(() => docMdpOf(document, dict)),
    field && unlessMalformed(() => lockLevel(document, field)),
  ];
  const locks = unlessMalformed(() => lockedFields(document, [{ name, signature: dict }])) ?? [];
  return strictest(levels, locks);
}

/**
 * Returns what is permitted after each signature: what this signature and all earlier ones permit together. Throws
 * DOCUMENT_TOO_COMPLEX.
 */
export function permittedAfter(
  signatures: readonly PdfSignature[],
  permitted: readonly Permissions[],
): Permissions[] {
  const names = permitted
    .flatMap(({ locks }) => locks)
    .reduce((sum, { fields }) => sum + fields.length + 1, 0);
  if (names > SIGNATURE_BOUNDS.lockedNamesMax)
    throw tooComplex(`more than ${SIGNATURE_BOUNDS.lockedNamesMax} locked fields`);
  return signatures.map(({ revision }) => {
    const earlier = permitted.filter(
      (_, index) => (signatures[index]?.revision.number ?? 0) <= revision.number,
    );
    return strictest(
      earlier.map(({ docMdp }) => docMdp),
      earlier.flatMap(({ locks }) => locks),
    );
  });
}

function strictest(levels: readonly Permissions['docMdp'][], locks: Permissions['locks']): Permissions {
  const docMdp = levels.filter((level) => level !== undefined).sort()[0];
  return { ...(docMdp && { docMdp }), locks };
}
