import type { Prepared, PrepareOptions } from '@scriptorium/sanitizer/sanitize';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import { EngineError } from './engine.ts';
import type { SanitizerRequest, SanitizerThreadData } from './sanitizer-thread.ts';

/** Far more than any document within the bounds takes; the bounds are what refuses, these hold should one fail. */
const TIMEOUT_MS = 10_000;
/** For a thread's first document: a machine on which much is started at once may take long to load its code. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;
/** Rounds after which the code of a thread is compiled as far as it will be. */
const WARM_UP_ROUNDS = 20;

/** Takes a document through the sanitizer; `signal` gives up waiting for it. */
export type Prepare = (bytes: Uint8Array, options: PrepareOptions, signal: AbortSignal) => Promise<Prepared>;

export interface SanitizerThreadOptions {
  /** Documents vetted at a time. */
  threads: number;
  timeoutMs?: number;
  heapMibMax?: number;
  /** A font for the text of SVG images; without one it does not show. */
  font?: Uint8Array | undefined;
}

const tooComplex = (why: string): string => `The document takes ${why} to check.`;

/** Threads that vet documents. */
export class SanitizerThreads {
  readonly #count: number;
  readonly #threads: WorkerThreads<SanitizerRequest, Prepared>;

  constructor({ threads, timeoutMs = TIMEOUT_MS, heapMibMax = HEAP_MIB_MAX, font }: SanitizerThreadOptions) {
    this.#count = threads;
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'sanitizer-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      data: { font } satisfies SanitizerThreadData,
      fail: (kind, message) => new EngineError(kind, message),
    });
  }

  /** Lets each thread vet some documents, so that the first caller does not pay for the compilation of its code. */
  async warmUp(documents: readonly Buffer[]): Promise<void> {
    const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
    const { signal } = new AbortController();
    const rounds = Array.from({ length: this.#count * WARM_UP_ROUNDS }, () => documents).flat();
    await Promise.all(
      rounds.map((bytes) =>
        this.#threads.ask({ bytes, options }, { signal, tooComplex, timeoutMs: READY_MS_MAX }),
      ),
    );
  }

  prepare: Prepare = async (bytes, options, signal) => {
    const prepared = await this.#threads.ask({ bytes, options }, { signal, tooComplex });
    return { ...prepared, bytes: asBuffer(prepared.bytes) };
  };

  close(): Promise<void> {
    return this.#threads.close();
  }
}
