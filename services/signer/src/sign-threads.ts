import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { Signed } from '@scriptorium/signatures/sign';
import type { CallerKey, Signing, SignReply } from '@scriptorium/signatures/sign-request';
import type { SignSettings } from './open-tools.ts';

/** External authorities have their own, shorter limits; this one applies if those fail. */
const TIMEOUT_MS = 55_000;
/** A machine that starts everything at once is slow; a restart would make it slower. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;
const REOPEN_MS = 10_000;

/** The data that a thread starts with. */
export interface SignThreadData extends SignSettings {
  /** Retry interval for keys that could not be opened: the operator may have replaced a file or reconnected a token. */
  reopenMs: number;
}

export interface SignTask {
  source: Uint8Array;
  signing: Signing;
  images: Uint8Array;
  callerKey: CallerKey | undefined;
  /** Of an encrypted PDF. */
  password?: string | undefined;
}

export interface SignThreadsOptions extends SignSettings {
  /** Documents processed concurrently. */
  threads: number;
  timeoutMs?: number;
  /** Interval after which a thread retries to open its keys. */
  reopenMs?: number;
  heapMibMax?: number;
  /** Documents after which a thread is replaced. */
  requestsMax?: number;
  /** Receives the outcome of each fetch of a thread. */
  onFetch?: ((outcome: string) => void) | undefined;
}

/** Threads that sign; each reads the service's keys once. */
export class SignThreads {
  readonly #threads: WorkerThreads<SignTask | undefined, Signed>;

  constructor({
    threads,
    timeoutMs = TIMEOUT_MS,
    reopenMs = REOPEN_MS,
    heapMibMax = HEAP_MIB_MAX,
    requestsMax,
    onFetch,
    ...settings
  }: SignThreadsOptions) {
    const data: SignThreadData = { ...settings, reopenMs };
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'sign-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      requestsMax,
      warmUp: () => [undefined],
      data,
      onNote: onFetch,
      fail: abortError('signing', 'document'),
    });
  }

  /** Resolves once every thread has opened its keys and compiled its code. */
  async ready(): Promise<void> {
    await this.#threads.askEach(undefined, { timeoutMs: READY_MS_MAX, tooComplex });
  }

  /** Rejects as `sign` does. */
  async sign(
    task: SignTask,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; contentType: string; reply: SignReply }> {
    const signed = await this.#threads.ask(task, { signal, tooComplex });
    return { ...signed, bytes: asBuffer(signed.bytes) };
  }

  /** The same after all requests of single documents. */
  async signPatiently(
    task: SignTask,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; contentType: string; reply: SignReply }> {
    const signed = await this.#threads.ask(task, { signal, tooComplex, isPatient: true });
    return { ...signed, bytes: asBuffer(signed.bytes) };
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

const tooComplex = (why: string): string => `The document takes ${why} to sign.`;
