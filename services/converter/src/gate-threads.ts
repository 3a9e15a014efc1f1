import { Worker } from 'node:worker_threads';
import { AppError } from '@scriptorium/shared/errors';
import { EngineError } from './engine.ts';
import { Pool } from './engines/pool.ts';
import type { GateAnswer, GateRequest, GateThreadData } from './gate-thread.ts';
import type { Prepared, PrepareOptions } from './prepare.ts';

/** Far more than any document within the bounds takes; the bounds are what refuses, these hold should one fail. */
const TIMEOUT_MS = 10_000;
const HEAP_MIB_MAX = 1_024;
const RESTART_DELAY_MS = 50;
/** Rounds after which the code of a thread is compiled as far as it will be. */
const WARM_UP_ROUNDS = 20;

/** The thread runs from the sources where this does: in tests, and where nothing was built. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const THREAD = new URL(IS_SOURCE ? './gate-thread.ts' : './gate-thread.js', import.meta.url);

/** Takes a document through the gate; `signal` gives up waiting for it. */
export type Prepare = (bytes: Uint8Array, options: PrepareOptions, signal: AbortSignal) => Promise<Prepared>;

export interface GateThreadOptions {
  /** Documents vetted at a time. */
  threads: number;
  timeoutMs?: number;
  heapMibMax?: number;
  /** A font for the text of SVG images; without one it does not show. */
  font?: Uint8Array | undefined;
}

/**
 * Threads that vet documents: reading hostile input neither holds up the event loop, which keeps this worker's jobs
 * its own, nor takes more memory than a thread may have, nor longer than its time.
 */
export class GateThreads {
  readonly #pool = new Pool<Worker>();
  readonly #threads = new Set<Worker>();
  readonly #timeoutMs: number;
  readonly #heapMibMax: number;
  readonly #font: Uint8Array | undefined;
  #isClosed = false;

  constructor({ threads, timeoutMs = TIMEOUT_MS, heapMibMax = HEAP_MIB_MAX, font }: GateThreadOptions) {
    this.#timeoutMs = timeoutMs;
    this.#heapMibMax = heapMibMax;
    this.#font = font;
    for (let i = 0; i < threads; i++) this.#startThread();
  }

  /** Lets each thread vet some documents, so that the first caller does not pay for the compilation of its code. */
  async warmUp(documents: readonly Buffer[]): Promise<void> {
    const options = { from: 'docx', revisions: 'markup', updateFields: 'none' } as const;
    const { signal } = new AbortController();
    const rounds = Array.from({ length: this.#threads.size * WARM_UP_ROUNDS }, () => documents).flat();
    await Promise.all(rounds.map((document) => this.prepare(document, options, signal)));
  }

  prepare: Prepare = async (bytes, options, signal) => {
    const thread = await this.#pool.take(signal);
    try {
      return await this.#ask(thread, { bytes, options }, signal);
    } finally {
      if (this.#threads.has(thread)) this.#pool.put(thread);
    }
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pool.rejectAll(new EngineError('unavailable', 'the converter is closed'));
    await Promise.all([...this.#threads].map((thread) => thread.terminate()));
  }

  #startThread(): void {
    const thread = new Worker(THREAD, {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMibMax },
      // A thread has no business with the settings, which hold secrets.
      env: {},
      workerData: { font: this.#font } satisfies GateThreadData,
      execArgv: IS_SOURCE ? ['--conditions=source'] : [],
    });
    this.#threads.add(thread);
    thread.on('error', () => {});
    thread.once('exit', () => {
      this.#threads.delete(thread);
      this.#pool.remove(thread);
      // Not at once: one that cannot start would take a core with its trying.
      if (!this.#isClosed) setTimeout(() => this.#isClosed || this.#startThread(), RESTART_DELAY_MS).unref();
    });
    this.#pool.put(thread);
  }

  #ask(thread: Worker, request: GateRequest, signal: AbortSignal): Promise<Prepared> {
    const { promise, resolve, reject } = Promise.withResolvers<Prepared>();
    const tooComplex = (why: string, cause?: unknown) =>
      reject(new AppError('DOCUMENT_TOO_COMPLEX', `The document takes ${why} to check.`, { cause }));
    const onAnswer = (answer: GateAnswer) => {
      if (!answer.ok) reject(new AppError(answer.code, answer.message, { cause: answer.cause }));
      else resolve({ ...answer.prepared, bytes: asBuffer(answer.prepared.bytes) });
    };
    const giveUp = () => {
      // Not lent again while it ends; its successor starts when it has.
      this.#threads.delete(thread);
      void thread.terminate();
    };
    const onError = (error: Error & { code?: unknown }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        tooComplex(`more than ${this.#heapMibMax} MiB of memory`, error);
      else reject(error);
      giveUp();
    };
    const onExit = () =>
      reject(
        new EngineError(signal.aborted ? 'aborted' : 'unavailable', 'the check of the document was stopped'),
      );
    thread.postMessage(request);
    const timer = setTimeout(() => {
      tooComplex(`longer than the limit of ${this.#timeoutMs / 1000} seconds`);
      giveUp();
    }, this.#timeoutMs);
    thread.once('message', onAnswer).once('error', onError).once('exit', onExit);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      thread.off('message', onAnswer).off('error', onError).off('exit', onExit);
    });
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
