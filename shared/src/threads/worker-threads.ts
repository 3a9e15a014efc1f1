import { Worker } from 'node:worker_threads';
import { AppError } from '@scriptorium/contracts/errors';
import { Pool } from '@scriptorium/shares/pool';
import { currentTask, type Task } from '@scriptorium/shares/task';
import { CpuMeter, countAskedThread, giveWay } from '@scriptorium/shares/thread-cpu';
import {
  asBuffers,
  noteThread,
  type StartedThreads,
  type StartNote,
  type ThreadAnswer,
  type ThreadNote,
  type ThreadRequest,
  type ThreadStart,
} from './thread.ts';

const RESTART_DELAY_MS = 50;
/** For the first call: a machine that starts everything at once is slow, and a restart would make it slower. */
const READY_MS_MAX = 180_000;
const PROGRAM = programBeside(import.meta.url, 'run-module');
const READY: ThreadRequest = { name: 'ready' };
/** A call that ends sooner gives no way: the start of another thread costs as much. */
const SLOW_MS_MIN = 250;
/** How often a call is looked at again whose thread has not started, or had no processor. */
const LATE_MS_MIN = 100;
/** A slow thread without a call ends after this time. */
const SLOW_IDLE_MS_MAX = 20_000;

type Message = ThreadAnswer | ThreadNote | StartNote;

export interface WorkerThreadsOptions {
  /** Its functions run in the threads; see `programBeside`. */
  module: URL;
  /** Makes the public message for a call over a limit, by function. `why` is a text such as `longer than the limit of 10 seconds`. */
  calls: Readonly<Record<string, (why: string) => string>>;
  /** A free thread whose last call had the same affinity is preferred, since it may have cached data. */
  affinityOf?: ((input: never) => string) | undefined;
  /** Calls that run at a time. Each thread starts with the first call that no other is free for. */
  threads: number;
  /** Limit of the processor time of one call. The clock would blame a document for a busy machine. */
  timeoutMs: number;
  heapMibMax: number;
  /** Calls after which a thread is replaced, so that what is left in its memory does not stay. By default never. */
  requestsMax?: number | undefined;
  /** The calls build upon each other: one thread runs all of them, and when it has ended, the next one fails. */
  keepsState?: boolean;
  /** What `threadData` returns in the module. */
  data?: unknown;
  /** Receives the notes of `noteToOwner`. */
  onNote?: ((note: string) => void) | undefined;
  /** Makes the error for an aborted call, or for a thread that ended through no fault of the caller. The message is for the log. */
  fail(kind: 'aborted' | 'unavailable', message: string): Error;
}

interface ThreadState extends StartedThreads {
  /** Affinity of the last request. */
  affinity: string | undefined;
  requests: number;
  /** Another one works in its place. It has the lowest priority after its call, and serves slow tasks only. */
  isSlow: boolean;
  /** Processor time of the last call, unless it was ended at once. */
  callMs: number | undefined;
}

/** Returns the module beside another one. It runs from the sources if the other does: in tests and without a build. */
export function programBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${moduleUrl.endsWith('.ts') ? '.ts' : '.js'}`, moduleUrl);
}

/**
 * Threads that process documents. Hostile input cannot block the event loop, which renews the locks of the jobs. Requests over
 * the limits of memory or time reject with DOCUMENT_TOO_COMPLEX.
 */
export class WorkerThreads {
  readonly #options: WorkerThreadsOptions;
  readonly #pool: Pool<Worker>;
  /** The threads for slow tasks, beside the others, so that these do not wait for the start of a thread. */
  readonly #slowPool: Pool<Worker>;
  /** The live threads. */
  readonly #threads = new Map<Worker, ThreadState>();
  #hasStarted = false;
  #isReplacing = false;
  #isClosed = false;

  constructor(options: WorkerThreadsOptions) {
    this.#options = options;
    const aborted = (message: string) => options.fail('aborted', message);
    [this.#pool, this.#slowPool] = [new Pool(aborted), new Pool(aborted)];
  }

  /**
   * Calls a function of the module, for the current task. A patient call waits for a thread until no other call waits. The thread
   * of a task that becomes slow gives way, and another one takes its place. Later calls of the task go to such a thread.
   */
  async ask(request: ThreadRequest, signal: AbortSignal, isPatient = false): Promise<unknown> {
    const affinity = request === READY ? undefined : this.#options.affinityOf?.(request.input as never);
    const task = request === READY ? undefined : currentTask();
    const { keepsState } = this.#options;
    if (keepsState && this.#hasStarted && this.#threads.size === 0)
      throw this.#options.fail('unavailable', 'the thread has ended with its state');
    const isSlow = !keepsState && task?.turn.slow.aborted === true;
    const pool = isSlow ? this.#slowPool : this.#pool;
    if (!pool.hasIdle) this.#startNext(isSlow);
    const isPreferred = (thread: Worker) =>
      affinity !== undefined && this.#threads.get(thread)?.affinity === affinity;
    const thread = await pool.take(signal, {
      isPreferred,
      isPatient: !isSlow && (isPatient || task?.turn.isLow === true),
    });
    const state = this.#threads.get(thread);
    if (state !== undefined) Object.assign(state, { affinity, requests: state.requests + 1 });
    const ended = task && state && this.#share(thread, state, task);
    try {
      return await this.#ask(thread, request, signal);
    } finally {
      ended?.();
      const known = this.#threads.get(thread);
      if (known !== undefined) this.#putBack(thread, known);
    }
  }

  /** Counts the time of a call until the returned function is called. */
  #share(thread: Worker, state: ThreadState, { turn, spend }: Task): () => void {
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const onSlow = () => {
      const leftMs = SLOW_MS_MIN - (performance.now() - startedAt);
      timer = setTimeout(() => this.#replaceSlow(thread, state), Math.max(0, leftMs));
    };
    turn.start();
    if (turn.slow.aborted) onSlow();
    else turn.slow.addEventListener('abort', onSlow, { once: true });
    return () => {
      clearTimeout(timer);
      turn.slow.removeEventListener('abort', onSlow);
      turn.pause();
      spend(state.callMs ?? performance.now() - startedAt);
    };
  }

  /** The thread gives way to all others, and another one takes its place, which has nothing of its state. */
  #replaceSlow(thread: Worker, state: ThreadState): void {
    if (state.isSlow || this.#isClosed || !this.#threads.has(thread)) return;
    giveWay(state.ids);
    if (this.#options.keepsState) return;
    state.isSlow = true;
    this.#startNext();
  }

  /** Lends the thread again. The successor of an old one starts meanwhile, one at a time. */
  #putBack(thread: Worker, { requests, isSlow, ids }: ThreadState): void {
    const { requestsMax = Number.POSITIVE_INFINITY } = this.#options;
    if (isSlow) {
      giveWay(ids);
      this.#slowPool.put(thread);
      const endIdle = () => this.#slowPool.remove(thread) && this.#end(thread);
      return void setTimeout(endIdle, requests < requestsMax ? SLOW_IDLE_MS_MAX : 0).unref();
    }
    this.#pool.put(thread);
    if (requests < requestsMax || this.#isReplacing || this.#isClosed) return;
    this.#isReplacing = true;
    void this.#replace(thread).finally(() => {
      this.#isReplacing = false;
    });
  }

  async #replace(thread: Worker): Promise<void> {
    const successor = this.#startThread();
    try {
      await this.#ask(successor, READY, never());
    } catch {
      this.#end(successor);
      return;
    }
    this.#pool.put(successor);
    const known = this.#threads.get(thread);
    if (this.#pool.remove(thread)) this.#end(thread);
    else if (known !== undefined) known.isSlow = true;
  }

  /** Resolves once each of the threads, which must be free, is as fast as later. Rejects with the first failure. */
  async ready(): Promise<void> {
    const all = Array.from({ length: this.#options.threads }, () => this.ask(READY, never(), true));
    await Promise.all(all);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const pool of [this.#pool, this.#slowPool])
      pool.rejectAll(this.#options.fail('unavailable', 'the threads are closed'));
    await Promise.all([...this.#threads.keys()].map((thread) => thread.terminate()));
  }

  /** Ends a thread that is not lent. Its successor has started. */
  #end(thread: Worker): void {
    this.#threads.delete(thread);
    thread.removeAllListeners('exit');
    void thread.terminate();
  }

  #startThread(isSlow = false): Worker {
    const { module, heapMibMax, data, onNote } = this.#options;
    const thread = new Worker(PROGRAM, {
      resourceLimits: { maxOldGenerationSizeMb: heapMibMax },
      // Threads must not get the settings, which contain secrets.
      env: {},
      workerData: { module: module.href, data, isSlow } satisfies ThreadStart,
      execArgv: module.pathname.endsWith('.ts') ? ['--conditions=source'] : [],
    });
    const noted = { affinity: undefined, ids: [], hasStarted: false, cpuMs: 0, callMs: undefined };
    const state: ThreadState = { ...noted, requests: 0, isSlow };
    this.#threads.set(thread, state);
    thread.on('error', () => {});
    thread.on('message', (message: Message) => {
      if ('note' in message) onNote?.(message.note);
      if ('threadId' in message) noteThread(state, message);
    });
    thread.once('exit', () => {
      for (const threadId of [...state.ids]) noteThread(state, { threadId, hasEnded: true });
      this.#threads.delete(thread);
      this.#pool.remove(thread);
      this.#slowPool.remove(thread);
      // Delayed, so that a program that cannot start does not use a whole core.
      const isWanted = state.isSlow && this.#slowPool.waiting > 0;
      setTimeout(() => this.#startNext(isWanted), RESTART_DELAY_MS).unref();
    });
    return thread;
  }

  /** Starts a thread, unless all of its kind are there. */
  #startNext(isSlow = false): void {
    if (this.#options.keepsState && this.#hasStarted) return;
    this.#hasStarted = true;
    const working = [...this.#threads.values()].filter((of) => of.isSlow === isSlow).length;
    if (this.#isClosed || working >= this.#options.threads + (isSlow ? 1 : 0)) return;
    (isSlow ? this.#slowPool : this.#pool).put(this.#startThread(isSlow));
  }

  #ask(thread: Worker, request: ThreadRequest, signal: AbortSignal): Promise<unknown> {
    const { heapMibMax, fail, calls } = this.#options;
    const timeoutMs = request === READY ? READY_MS_MAX : this.#options.timeoutMs;
    const state = this.#threads.get(thread);
    if (state !== undefined) state.callMs = undefined;
    const tooComplex = calls[request.name] ?? ((why) => `The start of a thread takes ${why}.`);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const refuse = (why: string, cause?: unknown) =>
      reject(new AppError('DOCUMENT_TOO_COMPLEX', tooComplex(why), { cause }));
    const onAnswer = (answer: Message) => {
      if (!('ok' in answer)) return;
      if (state !== undefined) {
        state.callMs = answer.cpuMs - state.cpuMs;
        state.cpuMs = answer.cpuMs;
        countAskedThread(state.callMs);
      }
      if (answer.ok) return resolve(asBuffers(answer.result));
      const { code, message, details, cause } = answer;
      reject(new AppError(code, message, { cause, ...(details && { details }) }));
    };
    let meter: CpuMeter | undefined;
    const terminate = () => {
      if (state !== undefined) state.callMs ??= meter?.usedMs;
      countAskedThread(state?.callMs ?? 0);
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
    const onLate = () => {
      // The start of its thread is not the fault of a document.
      if (request === READY || state?.hasStarted !== false)
        meter ??= new CpuMeter(request === READY ? [] : (state?.ids ?? []));
      const leftMs = meter && timeoutMs - meter.usedMs;
      if (leftMs === undefined || leftMs > 0) {
        late = setTimeout(onLate, Math.max(LATE_MS_MIN, leftMs ?? 0));
        return;
      }
      refuse(`longer than the limit of ${timeoutMs / 1000} seconds`);
      terminate();
    };
    // Most calls end before it, and need no look at the kernel.
    let late = setTimeout(onLate, Math.min(SLOW_MS_MIN, timeoutMs));
    thread.on('message', onAnswer).once('error', onError).once('exit', onExit);
    signal.addEventListener('abort', terminate, { once: true });
    if (signal.aborted) terminate();
    return promise.finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', terminate);
      thread.off('message', onAnswer).off('error', onError).off('exit', onExit);
    });
  }
}

const never = (): AbortSignal => new AbortController().signal;
