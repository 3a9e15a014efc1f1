import { AppError } from '@scriptorium/contracts/errors';
import type { ComparedRevisions, ComparisonRequest } from '@scriptorium/rendering/compare-revisions';
import { abortError } from '@scriptorium/shared/threads/abort-error';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import { blankPdf } from '@scriptorium/signatures/blank-documents';
import type { Renderer } from '@scriptorium/signatures/verify';

/** A document is verified within the limit of its own thread, which includes this one. */
const TIMEOUT_MS = 10_000;
/** At the start there is no document whose limit it would be: a machine that starts everything at once is slow. */
const READY_MS_MAX = 120_000;
/** Rounds after which most of the code is compiled. */
const WARM_UP_ROUNDS = 3;
/** The memory of PDFium is not in this heap, and has a bound of its own. */
const HEAP_MIB_MAX = 256;

/**
 * A thread that renders for the thread that starts it. PDFium may hang or abort: its thread is then replaced, and the document
 * is reported as not compared. The thread ends with its owner.
 */
export class RenderThreads implements Renderer {
  readonly #threads: WorkerThreads<ComparisonRequest, ComparedRevisions>;
  #isClosed = false;

  constructor({ timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {}) {
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'render-thread'),
      threads: 1,
      timeoutMs,
      heapMibMax: HEAP_MIB_MAX,
      fail: abortError('rendering', 'document'),
    });
  }

  /** Resolves once PDFium has rendered a page of its own. */
  async ready(): Promise<void> {
    const bytes = blankPdf();
    const end = bytes.length;
    const page = { page: 0, fields: [], annotations: [], added: [], unsure: [], isPrintedToo: true };
    const comparisons = [{ before: end, now: end, pages: [page] }];
    for (let round = 0; round < WARM_UP_ROUNDS; round++) {
      const request = { bytes, comparisons, pictures: [{ end, page: 0 }] };
      const compared = await this.#ask(request, { timeoutMs: READY_MS_MAX });
      if (compared.pictures[0] === undefined) throw new Error('PDFium rendered no picture');
    }
  }

  /** Never rejects: what stops the thread is a doubt about the document, as for all that cannot be rendered. */
  async compare(request: ComparisonRequest): Promise<ComparedRevisions | string> {
    try {
      return await this.#ask(request).catch((error) => {
        // A thread ends after a document that has left much memory in it. This one was not at fault.
        if (!this.#isClosed && error instanceof AppError && error.code === 'UNAVAILABLE')
          return this.#ask(request);
        throw error;
      });
    } catch (error) {
      const isBeyond = error instanceof AppError && error.code === 'DOCUMENT_TOO_COMPLEX';
      return isBeyond ? error.message : 'rendering was stopped';
    }
  }

  #ask(request: ComparisonRequest, limit: { timeoutMs?: number } = {}): Promise<ComparedRevisions> {
    const { signal } = new AbortController();
    const tooComplex = (why: string): string => `rendering takes ${why}`;
    return this.#threads.ask(request, { ...limit, signal, tooComplex });
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#threads.close();
  }
}
