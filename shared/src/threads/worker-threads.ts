import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { Pool } from './pool.ts';
import type { ThreadAnswer, ThreadNote } from './thread.ts';

const RESTART_DELAY_MS = 50;

export interface WorkerThreadsOptions {
  /** The program of each thread. It calls `answerRequests`. */
  program: URL;
  /** Requests that run at a time. */
  threads: number;
  /** Time limit of one request. */
  timeoutMs: number;
  heapMibMax: number;
  /** Data for each thread; see `threadData`. */
  data?: unknown;
  /** Receives the notes of `noteToOwner`. */
  onNote?: ((note: string) => void) | undefined;
  /** Makes the error for an aborted request, or for a thread that ended through no fault of the caller. The message is for the log. */
  fail(kind: 'aborted' | 'unavailable', message: string): Error;
}

export interface AskOptions {
  /** Aborts the work. */
  signal: AbortSignal;
  /** Replaces the `timeoutMs` of `WorkerThreadsOptions` for this request. */
  timeoutMs?: number;
  /** A free thread whose last request had the same affinity is preferred, since it may have cached data. */
  affinity?: string;
  /** Waits for a thread until no other request waits. */
  isPatient?: boolean;
  /** Makes the public message for a request over a limit. `why` is a text such as `longer than the limit of 10 seconds`. */
  tooComplex(why: string): string;
}

/** Returns the program beside a module. It runs from the sources if the module does: in tests and without a build. */
export function programBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.endsWith('.ts') ? '.ts' : '.js'}`, moduleUrl);
}

/**
 * Threads that process documents. Hostile input cannot block the event loop, which renews the locks of the jobs. Requests over
 * the limits of memory or time reject with DOCUMENT_TOO_COMPLEX.
 */
export class WorkerThreads<Request, Result> {
  readonly #options: WorkerThreadsOptions;
  readonly #pool: Pool<Worker>;
  /** The live threads with the affinity of their last request. */
  readonly #threads = new Map<Worker, string | undefined>();
  #isClosed = false;

  constructor(options: WorkerThreadsOptions) {
    this.#options = options;
    this.#pool = new Pool((message) => options.fail('aborted', message));
    for (let i = 0; i < options.threads; i++) this.#startThread();
  }

  async ask(request: Request, options: AskOptions): Promise<Result> {
    const { signal, affinity, isPatient = false } = options;
    const isPreferred = (thread: Worker) => affinity !== undefined && this.#threads.get(thread) === affinity;
    const thread = await this.#pool.take(signal, { isPreferred, isPatient });
    this.#threads.set(thread, affinity);
    try {
      return await this.#ask(thread, request, options);
    } finally {
      if (this.#threads.has(thread)) this.#pool.put(thread);
    }
  }

  /** Sends the same request to every thread that is free. Rejects with the first failure. */
  async askEach(request: Request, options: Omit<AskOptions, 'signal'>): Promise<void> {
    const { signal } = new AbortController();
    const answers = Array.from({ length: this.#options.threads }, () =>
      this.ask(request, { ...options, signal }),
    );
    await Promise.all(answers);
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
      // Threads must not get the settings, which contain secrets.
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
      // Delayed, so that a program that cannot start does not use a whole core.
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
    const terminate = () => {
      // Not lent again while it terminates. Its successor starts after its exit.
      this.#threads.delete(thread);
      void thread.terminate();
    };
    const onError = (error: Error & { code?: unknown }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') refuse(`more than ${heapMibMax} MiB of memory`, error);
      else reject(error);
      terminate();
    };
    const onExit = () => reject(fail(signal.aborted ? 'aborted' : 'unavailable', 'the thread was stopped'));
    thread.postMessage(request);
    const timer = setTimeout(() => {
      refuse(`longer than the limit of ${timeoutMs / 1000} seconds`);
      terminate();
    }, timeoutMs);
    thread.on('message', onAnswer).once('error', onError).once('exit', onExit);
    signal.addEventListener('abort', terminate, { once: true });
    if (signal.aborted) terminate();
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', terminate);
      thread.off('message', onAnswer).off('error', onError).off('exit', onExit);
    });
  }
}
