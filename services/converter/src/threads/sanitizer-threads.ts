import type { Prepared, PrepareOptions } from '@scriptorium/sanitizer/sanitize';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import { EngineError } from '../engines/engine.ts';
import type { SanitizerRequest, SanitizerThreadData } from './sanitizer-thread.ts';

/**
 * Far more than any document within the limits takes, even on a busy machine: the limits refuse documents, and this holds if one
 * fails.
 */
const TIMEOUT_MS = 30_000;
/** For a thread's first document: a machine that starts many processes may take long to load the code. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;
/** Rounds after which a thread's code is fully compiled. */
const WARM_UP_ROUNDS = 20;

/** Sanitizes a document; `signal` stops waiting for it. */
export type Prepare = (
  bytes: Uint8Array,
  options: PrepareOptions & { /** Whether long tables may be split. */ mayBeInPieces?: boolean },
  signal: AbortSignal,
) => Promise<Prepared>;

export interface SanitizerThreadOptions {
  /** Documents checked concurrently. */
  threads: number;
  timeoutMs?: number;
  heapMibMax?: number;
  /** Documents after which a thread is replaced. */
  requestsMax?: number;
  /** A font for the text of SVG images; without one the text does not show. */
  font?: Uint8Array | undefined;
  /** Whether EMF and WMF pictures of documents stay. By default they do. */
  metafiles?: PrepareOptions['metafiles'];
  /** Tables of so many rows and more may be split. By default all stay whole. */
  longTableRows?: number | undefined;
}

const tooComplex = (why: string): string => `The document takes ${why} to check.`;

/** Threads that sanitize documents. */
export class SanitizerThreads {
  readonly #count: number;
  readonly #metafiles: PrepareOptions['metafiles'];
  readonly #longTableRows: number | undefined;
  readonly #threads: WorkerThreads<SanitizerRequest, Prepared>;
  /** What a successor checks first. */
  #warmUp: SanitizerRequest[] = [];

  constructor({
    threads,
    timeoutMs = TIMEOUT_MS,
    heapMibMax = HEAP_MIB_MAX,
    requestsMax,
    font,
    metafiles,
    longTableRows,
  }: SanitizerThreadOptions) {
    this.#count = threads;
    this.#metafiles = metafiles;
    this.#longTableRows = longTableRows;
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'sanitizer-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      requestsMax,
      warmUp: () => this.#warmUp,
      data: { font } satisfies SanitizerThreadData,
      fail: (kind, message) => new EngineError(kind, message),
    });
  }

  /** Lets each thread check some documents, so that the first caller does not wait for the compilation of its code. */
  async warmUp(documents: readonly Buffer[]): Promise<void> {
    const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
    this.#warmUp = Array.from({ length: WARM_UP_ROUNDS }, () =>
      documents.map((bytes) => ({ bytes, options })),
    ).flat();
    const { signal } = new AbortController();
    const rounds = Array.from({ length: this.#count * WARM_UP_ROUNDS }, () => documents).flat();
    await Promise.all(
      rounds.map((bytes) =>
        this.#threads.ask({ bytes, options }, { signal, tooComplex, timeoutMs: READY_MS_MAX }),
      ),
    );
  }

  prepare: Prepare = async (bytes, options, signal) => {
    const longTableRows = options.mayBeInPieces ? this.#longTableRows : undefined;
    const request = { bytes, options: { ...options, metafiles: this.#metafiles, longTableRows } };
    const prepared = await this.#threads.ask(request, { signal, tooComplex });
    return { ...prepared, bytes: asBuffer(prepared.bytes) };
  };

  close(): Promise<void> {
    return this.#threads.close();
  }
}
