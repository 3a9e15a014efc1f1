import { openPdf } from '../read/open.ts';
import { withLostRevisions } from './lost-revisions.ts';
import { chainOf, type RevisionHistory, searchedRevision } from './revision-chain.ts';

/**
 * Opens the revisions of a PDF, each read strictly and separately. Inconsistencies are flaws, including a file whose objects
 * had to be searched for. Throws what `openPdf` throws.
 */
export function openRevisions(bytes: Buffer, password?: string): RevisionHistory {
  const { document, isSearched } = openPdf(bytes, password);
  return withLostRevisions(isSearched ? searchedRevision(document) : chainOf(document), password);
}
