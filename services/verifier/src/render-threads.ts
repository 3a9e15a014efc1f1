import { AppError } from '@scriptorium/contracts/errors';
import type { ComparedRevisions, ComparisonRequest } from '@scriptorium/rendering/compare-revisions';
import { abortError, defineThread } from '@scriptorium/shared/threads/define-thread';
import { programBeside } from '@scriptorium/shared/threads/worker-threads';
import { blankPdf } from '@scriptorium/signatures/blank-documents';
import type { Renderer, SecondReader } from '@scriptorium/signatures/verify';
import type { RenderThreadData } from './render-thread.ts';

/** A document is verified within the limit of its own thread, which includes this one. */
const TIMEOUT_MS = 10_000;
/** The memory of PDFium is not in this heap, and has a bound of its own. */
const HEAP_MIB_MAX = 256;

const renderThreads = defineThread<typeof import('./render-thread.ts'), RenderThreadData>({
  module: programBeside(import.meta.url, 'render-thread'),
  calls: {
    compare: (why) => `rendering takes ${why}`,
    compareAgain: (why) => `comparing what Poppler draws takes ${why}`,
  },
  timeoutMs: TIMEOUT_MS,
  heapMibMax: HEAP_MIB_MAX,
  fail: abortError('rendering', 'document'),
});

interface Options extends Pick<RenderThreadData, 'poppler'> {
  timeoutMs?: number;
}

/**
 * A thread that renders for the thread that starts it. PDFium may hang or abort: its thread is then replaced, and the document
 * is reported as not compared. A process of Poppler ends with the thread, too. The thread ends with its owner.
 */
export class RenderThread implements Renderer {
  readonly #thread: ReturnType<typeof renderThreads>;
  readonly #closed = new AbortController();
  /** Compares with Poppler. */
  readonly second: SecondReader | undefined;

  constructor({ timeoutMs = TIMEOUT_MS, poppler }: Options = {}) {
    this.#thread = renderThreads({ threads: 1, timeoutMs, data: { blank: blankPdf(), poppler } });
    if (poppler) this.second = { name: 'Poppler', compare: (request) => this.#ask('compareAgain', request) };
  }

  ready(): Promise<void> {
    return this.#thread.ready();
  }

  compare(request: ComparisonRequest): Promise<ComparedRevisions | string> {
    return this.#ask('compare', request);
  }

  /** Never rejects: what stops the thread is a doubt about the document, as for all that cannot be rendered. */
  async #ask(
    call: 'compare' | 'compareAgain',
    request: ComparisonRequest,
  ): Promise<ComparedRevisions | string> {
    const { signal } = this.#closed;
    try {
      return await this.#thread[call](request, signal).catch((error) => {
        // A thread ends after a document that has left much memory in it. This one was not at fault.
        if (!signal.aborted && error instanceof AppError && error.code === 'UNAVAILABLE')
          return this.#thread[call](request, signal);
        throw error;
      });
    } catch (error) {
      const isBeyond = error instanceof AppError && error.code === 'DOCUMENT_TOO_COMPLEX';
      return isBeyond ? error.message : 'rendering was stopped';
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#thread.close();
  }
}
