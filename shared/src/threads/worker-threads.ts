import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { Pool } from './pool.ts';
import type { ThreadAnswer, ThreadNote } from './thread.ts';

const RESTART_DELAY_MS = 50;

export interface WorkerThreadsOptions {
  /** What each thread runs; it calls `answerRequests`. */
  program: URL;
  /** Requests in work at a time. */
  threads: number;
  /** For one request. */
  timeoutMs: number;
  heapMibMax: number;
  /** What a thread starts with. */
  data?: unknown;
  /** Hears what threads say by `noteToOwner`. */
  onNote?: ((note: string) => void) | undefined;
  /** The error for a caller who gave up, or whose thread ended through no fault of theirs. The message is for the log. */
  fail(kind: 'aborted' | 'unavailable', message: string): Error;
}

export interface AskOptions {
  /** Ends the work. */
  signal: AbortSignal;
  /** For this request, in place of that of `WorkerThreadsOptions`. */
  timeoutMs?: number;
  /** A free thread that last worked on the same is preferred: it may remember. */
  affinity?: string;
  /** The words for a caller whose request takes more than it may, such as `longer than the limit of 10 seconds`. */
  tooComplex(why: string): string;
}

/** The program beside a module, which runs from the sources where that does: in tests, and where nothing was built. */
export function programBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.endsWith('.ts') ? '.ts' : '.js'}`, moduleUrl);
}

/**
 * Threads that work on documents: reading hostile input neither holds up the event loop, which keeps this worker's jobs
 * its own, nor takes more memory than a thread may have, nor longer than its time. Both are DOCUMENT_TOO_COMPLEX.
 */
export class WorkerThreads<Request, Result> {
  readonly #options: WorkerThreadsOptions;
  readonly #pool: Pool<Worker>;
  /** Those that live, with what they last worked on. */
  readonly #threads = new Map<Worker, string | undefined>();
  #isClosed = false;

  constructor(options: WorkerThreadsOptions) {
    this.#options = options;
    this.#pool = new Pool((message) => options.fail('aborted', message));
    for (let i = 0; i < options.threads; i++) this.#startThread();
  }

  async ask(request: Request, options: AskOptions): Promise<Result> {
    const { signal, affinity } = options;
    const remembers = (thread: Worker) => affinity !== undefined && this.#threads.get(thread) === affinity;
    const thread = await this.#pool.take(signal, remembers);
    this.#threads.set(thread, affinity);
    try {
      return await this.#ask(thread, request, options);
    } finally {
      if (this.#threads.has(thread)) this.#pool.put(thread);
    }
  }

  /** The same of as many as there are threads, at once: each that is free gets one. Rejects with the first failure. */
  async askEach(request: Request, options: Omit<AskOptions, 'signal'>): Promise<void> {
    const { signal } = new AbortController();
    const asked = Array.from({ length: this.#options.threads }, () =>
      this.ask(request, { ...options, signal }),
    );
    await Promise.all(asked);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pool.rejectAll(this.#options.fail('unavailable', 'the threads are closed'));
    await Promise.all([...this.#threads.keys()].map((thread) => thread.terminate()));
  }

  #startThread(): void {
    const { program, heapMibMax, data, onNote } = this.#options;
    const thread = new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: heapMibMax },
      // A thread has no business with the settings, which hold secrets.
      env: {},
      workerData: data,
      execArgv: program.pathname.endsWith('.ts') ? ['--conditions=source'] : [],
    });
    this.#threads.set(thread, undefined);
    thread.on('error', () => {});
    thread.on('message', (message: ThreadAnswer<Result> | ThreadNote) => {
      if ('note' in message) onNote?.(message.note);
    });
    thread.once('exit', () => {
      this.#threads.delete(thread);
      this.#pool.remove(thread);
      // Not at once: one that cannot start would take a core with its trying.
      if (!this.#isClosed) setTimeout(() => this.#isClosed || this.#startThread(), RESTART_DELAY_MS).unref();
    });
    this.#pool.put(thread);
  }

  #ask(thread: Worker, request: Request, options: AskOptions): Promise<Result> {
    const { heapMibMax, fail } = this.#options;
    const { signal, tooComplex, timeoutMs = this.#options.timeoutMs } = options;
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const refuse = (why: string, cause?: unknown) =>
      reject(new AppError('DOCUMENT_TOO_COMPLEX', tooComplex(why), { cause }));
    const onAnswer = (answer: ThreadAnswer<Result> | ThreadNote) => {
      if ('note' in answer) return;
      if (answer.ok) return resolve(answer.result);
      const { code, message, details, cause } = answer;
      reject(new AppError(code, message, { cause, ...(details && { details }) }));
    };
    const giveUp = () => {
      // Not lent again while it ends; its successor starts when it has.
      this.#threads.delete(thread);
      void thread.terminate();
    };
    const onError = (error: Error & { code?: unknown }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse(`more than ${heapMibMax} MiB of memory`, error);
      else reject(error);
      giveUp();
    };
    const onExit = () => reject(fail(signal.aborted ? 'aborted' : 'unavailable', 'the thread was stopped'));
    thread.postMessage(request);
    const timer = setTimeout(() => {
      refuse(`longer than the limit of ${timeoutMs / 1000} seconds`);
      giveUp();
    }, timeoutMs);
    thread.on('message', onAnswer).once('error', onError).once('exit', onExit);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      thread.off('message', onAnswer).off('error', onError).off('exit', onExit);
    });
  }
}
