import type { DocumentDifference } from '@scriptorium/rendering/compare-documents';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { ComparisonRequest } from './comparison-thread.ts';
import { EngineError } from './engine.ts';

const TIMEOUT_MS = 30_000;
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
  #threads: WorkerThreads<ComparisonRequest, DocumentDifference | undefined> | undefined;

  compare: Compare = async (plain, fast, signal) => {
    this.#threads ??= new WorkerThreads({
      program: programBeside(import.meta.url, 'comparison-thread'),
      threads: 1,
      timeoutMs: TIMEOUT_MS,
      heapMibMax: HEAP_MIB_MAX,
      fail: (kind, message) => new EngineError(kind, message),
    });
    const tooComplex = (why: string): string => `The documents take ${why} to compare.`;
    return await this.#threads.ask({ plain, fast }, { signal, tooComplex });
  };

  async close(): Promise<void> {
    await this.#threads?.close();
  }
}
