import { compareDocuments } from '@scriptorium/rendering/compare-documents';
import { answerRequests } from '@scriptorium/shared/threads/thread';

/** Two PDFs of the same row. */
export interface ComparisonRequest {
  plain: Uint8Array;
  fast: Uint8Array;
}

answerRequests(({ plain, fast }: ComparisonRequest) => compareDocuments(plain, fast));
