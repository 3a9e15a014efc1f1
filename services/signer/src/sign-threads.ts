import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { Signed } from '@scriptorium/signatures/sign';
import type { CallerKey, Signing, SignReply } from '@scriptorium/signatures/sign-request';
import type { SignSettings } from './open-tools.ts';

/** Authorities outside have their own, shorter limits; this one holds should those fail. */
const TIMEOUT_MS = 55_000;
/** A machine that starts everything at once is slow; to start over would make it slower. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;
const REOPEN_MS = 10_000;

/** What a thread starts with. */
export interface SignThreadData extends SignSettings {
  /** Keys that could not be opened are tried again after so long: a file may have been exchanged, a token away. */
  reopenMs: number;
}

export interface SignTask {
  source: Uint8Array;
  signing: Signing;
  images: Uint8Array;
  callerKey: CallerKey | undefined;
}

export interface SignThreadsOptions extends SignSettings {
  /** Documents in work at a time. */
  threads: number;
  timeoutMs?: number;
  /** After which a thread whose keys could not be opened tries again. */
  reopenMs?: number;
  heapMibMax?: number;
  /** Hears how each fetch of a thread ended. */
  onFetch?: ((outcome: string) => void) | undefined;
}

/** Threads that sign; each reads the keys that the service holds once. */
export class SignThreads {
  readonly #threads: WorkerThreads<SignTask | undefined, Signed>;

  constructor({
    threads,
    timeoutMs = TIMEOUT_MS,
    reopenMs = REOPEN_MS,
    heapMibMax = HEAP_MIB_MAX,
    onFetch,
    ...settings
  }: SignThreadsOptions) {
    const data: SignThreadData = { ...settings, reopenMs };
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'sign-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      data,
      onNote: onFetch,
      fail: abortError('signing', 'document'),
    });
  }

  /** Resolves once every thread has its keys open, and its code compiled. */
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

  close(): Promise<void> {
    return this.#threads.close();
  }
}

const tooComplex = (why: string): string => `The document takes ${why} to sign.`;
