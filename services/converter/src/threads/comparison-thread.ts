import { compareDocuments, type DocumentDifference } from '@scriptorium/rendering/compare-documents';

/** Returns the first difference of two PDFs of the same row; undefined if there is none. Rejects if they cannot be compared. */
export function compare({
  plain,
  fast,
}: {
  plain: Buffer;
  fast: Buffer;
}): Promise<DocumentDifference | undefined> {
  return compareDocuments(plain, fast);
}
