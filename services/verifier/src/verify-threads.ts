import type { FetchConfig } from '@scriptorium/shared/fetch/settings';
import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { Report } from '@scriptorium/signatures/verify';
import type { Verification } from '@scriptorium/signatures/verify-report';

/** External authorities take at most twenty seconds of it. */
const TIMEOUT_MS = 40_000;
/** A machine that starts everything at once is slow; a restart would make it slower. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;

export interface VerifyTask {
  source: Uint8Array;
  verification: Verification;
  /** The service certificate and its issuers in PEM, if known. */
  serviceCertificate: string | undefined;
  /** Of an encrypted PDF. */
  password?: string | undefined;
}

/** The data that a thread starts with. Certificates are DER. */
export interface VerifyThreadData {
  trustProfiles: [name: string, certificates: Uint8Array[]][];
  fetch: FetchConfig;
}

export interface VerifyThreadsOptions extends VerifyThreadData {
  /** Documents processed concurrently. */
  threads: number;
  timeoutMs?: number;
  heapMibMax?: number;
  /** Documents after which a thread is replaced. */
  requestsMax?: number;
  /** Receives the outcome of each fetch of a thread. */
  onFetch?: ((outcome: string) => void) | undefined;
}

/** Threads that verify. */
export class VerifyThreads {
  readonly #threads: WorkerThreads<VerifyTask | undefined, Report | undefined>;

  constructor({
    threads,
    timeoutMs = TIMEOUT_MS,
    heapMibMax = HEAP_MIB_MAX,
    requestsMax,
    onFetch,
    ...data
  }: VerifyThreadsOptions) {
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'verify-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      requestsMax,
      warmUp: () => [undefined],
      data: data satisfies VerifyThreadData,
      onNote: onFetch,
      fail: abortError('verification', 'document'),
    });
  }

  /** Resolves once every thread has compiled its code. */
  async ready(): Promise<void> {
    await this.#threads.askEach(undefined, { timeoutMs: READY_MS_MAX, tooComplex });
  }

  /** Rejects as `verify` does. */
  async verify(task: VerifyTask, signal: AbortSignal): Promise<Report> {
    const report = await this.#threads.ask(task, { signal, tooComplex });
    if (report === undefined) throw new Error('a thread returned nothing');
    return { ...report, bytes: asBuffer(report.bytes) };
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

const tooComplex = (why: string): string => `The document takes ${why} to verify.`;
