import type { PermittedChanges } from '@scriptorium/pdf/changes/modifications';
import { BOUNDS } from '@scriptorium/pdf/read/bounds';
import { tooComplex, unlessMalformed } from '@scriptorium/pdf/refusals';
import type { PdfSignature } from './found-signature.ts';
import { docMdpOf, lockedFields, lockLevel } from './permissions.ts';

/**
 * What a signature leaves to others: the level of its certification or of its field's lock, the stricter of both, and the fields that
 * it locks (ISO 32000-2, 12.8.2.2, 12.8.2.4 and table 236); as the revision says that it signs.
 */
export function permittedBy({ name, dict, field, certification, revision }: PdfSignature): PermittedChanges {
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
 * What may become of the document after each of its signatures: what that one and those before it permit, all together. Throws
 * DOCUMENT_TOO_COMPLEX.
 */
export function permittedAfter(
  signatures: readonly PdfSignature[],
  permitted: readonly PermittedChanges[],
): PermittedChanges[] {
  const names = permitted
    .flatMap(({ locks }) => locks)
    .reduce((sum, { fields }) => sum + fields.length + 1, 0);
  if (names > BOUNDS.lockedNamesMax) throw tooComplex(`more than ${BOUNDS.lockedNamesMax} locked fields`);
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

function strictest(
  levels: readonly PermittedChanges['docMdp'][],
  locks: PermittedChanges['locks'],
): PermittedChanges {
  const docMdp = levels.filter((level) => level !== undefined).sort()[0];
  return { ...(docMdp && { docMdp }), locks };
}
