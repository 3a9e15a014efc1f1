import type { DocumentDifference } from '@scriptorium/rendering/compare-documents';
import type { ComparisonRequest } from './comparison-thread.ts';
import { OnDemandThread } from './on-demand.ts';

/** Of the heap; the memory of PDFium is not part of it, and has its own limit. */
const HEAP_MIB_MAX = 256;

/** Returns the first difference of two PDFs; undefined if there is none. Rejects if they cannot be compared. */
export type Compare = (
  plain: Uint8Array,
  fast: Uint8Array,
  signal: AbortSignal,
) => Promise<DocumentDifference | undefined>;

/** A thread that compares PDFs. Few rows need it, so it starts with the first one. */
export class ComparisonThread {
  readonly #thread = new OnDemandThread<ComparisonRequest, DocumentDifference | undefined>(
    'comparison-thread',
    HEAP_MIB_MAX,
  );

  compare: Compare = async (plain, fast, signal) => {
    const tooComplex = (why: string): string => `The documents take ${why} to compare.`;
    return await this.#thread.ask({ plain, fast }, { signal, tooComplex });
  };

  async close(): Promise<void> {
    await this.#thread.close();
  }
}
