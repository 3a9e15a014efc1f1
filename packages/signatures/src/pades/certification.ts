import { unlessMalformed } from '@scriptorium/pdf/error';
import { isDocumentTimestamp } from '@scriptorium/pdf/read';
import type { ReadRevision, RevisionHistory } from '@scriptorium/pdf/revisions';
import { keyOf, type PdfSignature, type SignatureKey } from './found-signature.ts';
import { certifyingSignature, docMdpOf } from './permissions.ts';

/**
 * Sets the level of the signatures that certify their document, as the catalog says (ISO 32000-2, 12.8.2.2 and 12.8.6): from the
 * revision that it signs to the newest, the catalog has to name the signature, which has to be the first of a person and to have the
 * transform. `signatures` are in the order of revisions.
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
      fault(signature, 'The signature that is to certify the document has no DocMDP transform.');
    if (signature !== firstOfPerson)
      fault(signature, 'The certification is not the first signature of the document.');
    if (named.length < since.length)
      fault(
        signature,
        'The certification was claimed or given up in a later revision than the one that it signs.',
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
