import type { SignatureEvidence } from '../evidence.ts';
import type { PdfSignature } from './found-signature.ts';
import { BOUNDS } from './read/bounds.ts';
import { docMdpOf, lockedFields, lockLevel } from './read/permissions.ts';
import { tooComplex, unlessMalformed } from './refusals.ts';

export type Permissions = SignatureEvidence['permissions'];

/**
 * What a signature leaves to others: the level of its certification or of its field's lock, the stricter of both, and the fields that
 * it locks (ISO 32000-2, 12.8.2.2, 12.8.2.4 and table 236); as the revision says that it signs.
 */
export function grantedBy({ name, dict, field, certification, revision }: PdfSignature): Permissions {
  const { document } = revision;
  const levels = [
    certification,
    unlessMalformed(() => docMdpOf(document, dict)),
    field && unlessMalformed(() => lockLevel(document, field)),
  ];
  const docMdp = levels.filter((level) => level !== undefined).sort()[0];
  const locks = unlessMalformed(() => lockedFields(document, [{ name, signature: dict }])) ?? [];
  return {
    ...(docMdp && { docMdp }),
    ...(locks.length > 0 && { lockedFields: locks.map(({ action, fields }) => ({ action, fields })) }),
  };
}

/** Throws DOCUMENT_TOO_COMPLEX. */
export function requireFewLocks(granted: readonly Permissions[]): void {
  const names = granted
    .flatMap(({ lockedFields: locks = [] }) => locks)
    .reduce((sum, { fields }) => sum + fields.length + 1, 0);
  if (names > BOUNDS.lockedNamesMax) throw tooComplex(`more than ${BOUNDS.lockedNamesMax} locked fields`);
}
