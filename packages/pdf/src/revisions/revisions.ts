import { openPdf } from '../read/open.ts';
import { withLostRevisions } from './lost-revisions.ts';
import { chainOf, type RevisionHistory, searchedRevision } from './revision-chain.ts';

/**
 * Opens the revisions of a PDF, each read strictly and separately. Inconsistencies are flaws, including a file whose objects
 * had to be searched for. Throws INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_COMPLEX as `openPdf` does.
 */
export function openRevisions(bytes: Buffer): RevisionHistory {
  const { document, isSearched } = openPdf(bytes);
  return withLostRevisions(isSearched ? searchedRevision(document) : chainOf(document));
}
