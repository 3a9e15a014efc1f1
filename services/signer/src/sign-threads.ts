import { AppError } from '@scriptorium/shared/errors';
import type { CallerKey, Signing, SignReply } from '@scriptorium/shared/jobs/sign';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { SignSettings } from './open-tools.ts';
import type { SignedResult, SignThreadData } from './sign-thread.ts';

/** Authorities outside have their own, shorter limits; this one holds should those fail. */
const TIMEOUT_MS = 55_000;
/** A machine that starts everything at once is slow; to start over would make it slower. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;
const REOPEN_MS = 10_000;

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
}

/** Threads that sign; each reads the keys that the service holds once. */
export class SignThreads {
  readonly #count: number;
  readonly #threads: WorkerThreads<SignTask | undefined, SignedResult>;

  constructor({
    threads,
    timeoutMs = TIMEOUT_MS,
    reopenMs = REOPEN_MS,
    heapMibMax = HEAP_MIB_MAX,
    ...settings
  }: SignThreadsOptions) {
    const data: SignThreadData = { ...settings, reopenMs };
    this.#count = threads;
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'sign-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      data,
      fail: stopped,
    });
  }

  /** Resolves once every thread has its keys open, and its code compiled. */
  async ready(): Promise<void> {
    const { signal } = new AbortController();
    const asked = Array.from({ length: this.#count }, () =>
      this.#threads.ask(undefined, { signal, timeoutMs: READY_MS_MAX, tooComplex }),
    );
    await Promise.all(asked);
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

function stopped(kind: 'aborted' | 'unavailable', reason: string): AppError {
  const cause = new Error(reason);
  return kind === 'aborted'
    ? new AppError('DEADLINE_EXCEEDED', 'The signing was given up.', { cause })
    : new AppError('UNAVAILABLE', 'The work on the document was stopped; send it again.', { cause });
}
