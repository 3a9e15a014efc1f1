import { createHash } from 'node:crypto';
import type { AnnotateReport, Annotation } from '@scriptorium/docx-template/annotation';
import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { AnnotateTask, AnnotateThreadData, TaskResult } from './annotate-thread.ts';

/** Far more than any request within the bounds takes; the bounds are what refuses, these hold should one fail. */
const TIMEOUT_MS = 30_000;
/** For a thread's first document: a machine on which much is started at once may take long to load its code. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;
/** Rounds after which the code of a thread is compiled as far as it will be. */
const WARM_UP_ROUNDS = 20;

export interface AnnotateThreadsOptions extends AnnotateThreadData {
  /** Requests in work at a time. */
  threads: number;
  timeoutMs?: number;
  heapMibMax?: number;
}

export interface FillRequest {
  source: Buffer;
  /** The JSON of `fieldValues`. */
  fields: Buffer;
  images: Buffer;
  options: Annotation;
}

/** Threads that fill and inspect templates; each remembers the templates that it has read. */
export class AnnotateThreads {
  readonly #count: number;
  readonly #threads: WorkerThreads<AnnotateTask, TaskResult>;

  constructor({
    threads,
    timeoutMs = TIMEOUT_MS,
    heapMibMax = HEAP_MIB_MAX,
    ...data
  }: AnnotateThreadsOptions) {
    this.#count = threads;
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'annotate-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      data,
      fail: abortError('template', 'template'),
    });
  }

  /** Lets each thread work on a document, so that the first caller does not pay for the compilation of its code. */
  async warmUp(request: FillRequest): Promise<void> {
    const { signal } = new AbortController();
    const task = { kind: 'annotate', ...request } as const;
    const rounds = Array.from({ length: this.#count * WARM_UP_ROUNDS }, () =>
      this.#ask(task, 'fill', signal, READY_MS_MAX),
    );
    await Promise.all(rounds);
  }

  /** Rejects as `annotate` does. */
  async fill(
    request: FillRequest,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; report: Omit<AnnotateReport, 'runMs'> }> {
    const { bytes, report } = await this.#ask({ kind: 'annotate', ...request }, 'fill', signal);
    if (report === undefined) throw new Error('the thread told nothing of what it filled');
    return { bytes: asBuffer(bytes), report };
  }

  /** The JSON of an `inspection`. Rejects as `inspect` does. */
  async inspect(source: Buffer, signal: AbortSignal): Promise<Buffer> {
    return asBuffer((await this.#ask({ kind: 'inspect', source }, 'inspect', signal)).bytes);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  #ask(
    task: AnnotateTask,
    verb: 'fill' | 'inspect',
    signal: AbortSignal,
    timeoutMs?: number,
  ): Promise<TaskResult> {
    return this.#threads.ask(task, {
      signal,
      ...(timeoutMs && { timeoutMs }),
      affinity: createHash('sha256').update(task.source).digest('base64'),
      tooComplex: (why) => `The template takes ${why} to ${verb}.`,
    });
  }
}
