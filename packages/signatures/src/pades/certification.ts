import { unlessMalformed } from '@scriptorium/pdf/error';
import { certifyingSignature, docMdpOf } from '@scriptorium/pdf/permissions';
import { isDocumentTimestamp } from '@scriptorium/pdf/read';
import type { ReadRevision, RevisionHistory } from '@scriptorium/pdf/revisions';
import { keyOf, type PdfSignature, type SignatureKey } from './found-signature.ts';

/**
 * Sets the level of certification signatures, as the catalog names them (ISO 32000-2, 12.8.2.2 and 12.8.6). From the signed
 * revision to the newest, the catalog must name the signature. It must have the transform and be the first signature, apart
 * from document time-stamps. `signatures` are in the order of revisions.
 */
export function certify(signatures: readonly PdfSignature[], { revisions, last }: RevisionHistory): void {
  const [first] = signatures;
  if (!first) return;
  const claims = revisions.slice(first.revision.number - 1).map(claimOf);
  const firstOfPerson = signatures.find(({ dict }) => !isDocumentTimestamp(dict));
  for (const signature of signatures) {
    const { dict, revision } = signature;
    const key = keyOf(last.document, dict);
    const since = claims.filter(({ number }) => number >= revision.number);
    const named = since.filter((claim) => claim.key === key);
    if (named.length === 0) continue;
    const level = unlessMalformed(() => docMdpOf(revision.document, dict));
    signature.certification = level ?? 2;
    if (level === undefined)
      fault(signature, 'The certification signature does not have a DocMDP transform.');
    if (signature !== firstOfPerson)
      fault(signature, 'The certification is not the first signature of the document.');
    if (named.length < since.length)
      fault(
        signature,
        'The certification was added to or removed from the catalog in a revision after the signed one.',
      );
  }
}

interface Claim {
  number: number;
  key: SignatureKey | undefined;
}

function claimOf({ number, document }: ReadRevision): Claim {
  const signature = unlessMalformed(() => certifyingSignature(document));
  return { number, key: signature && keyOf(document, signature) };
}

function fault({ faults }: PdfSignature, message: string): void {
  faults.push({ code: 'CERTIFICATION_INVALID', message });
}
