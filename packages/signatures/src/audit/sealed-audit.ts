import { unlessMalformed } from '@scriptorium/pdf/pdf-error';
import { Costs } from '@scriptorium/pdf/read/bounds';
import type { PdfDocument } from '@scriptorium/pdf/read/document';
import type { Stream } from '@scriptorium/pdf/read/values';
import type { DocumentEvidence } from '../evidence.ts';
import type { PdfSignature } from '../pades/found-signature.ts';
import { findAudit } from './find-audit.ts';

const AUDIT_BYTES_MAX = 32 * 1024 * 1024;

/**
 * The audit trail that a PDF carries: sealed where the file was there, and the same, in what each of these signatures signs. One that
 * cannot be unpacked is empty. Throws DOCUMENT_TOO_COMPLEX.
 */
export function sealedAudit(
  document: PdfDocument,
  signatures: readonly PdfSignature[],
): DocumentEvidence['audit'] {
  const file = unlessMalformed(() => findAudit(document));
  if (!file) return undefined;
  const bytes = contentOf(document, file);
  const isSealed = signatures.every(({ revision, coversRevision }) => {
    const signed = coversRevision ? unlessMalformed(() => findAudit(revision.document)) : undefined;
    if (!signed) return false;
    return signed === file || contentOf(revision.document, signed).equals(bytes);
  });
  return { bytes, isSealed: isSealed && signatures.length > 0 };
}

function contentOf(document: PdfDocument, file: Stream): Buffer {
  const costs = new Costs(AUDIT_BYTES_MAX);
  return unlessMalformed(() => document.unpacked(file, costs)) ?? Buffer.alloc(0);
}
