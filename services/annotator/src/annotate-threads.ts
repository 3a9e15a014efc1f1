import { createHash } from 'node:crypto';
import type { Annotation } from '@scriptorium/docx-template/annotation';
import type { Generation } from '@scriptorium/docx-template/generation';
import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type {
  AnnotateTask,
  AnnotateThreadData,
  FillReport,
  SingleTask,
  TaskResult,
} from './annotate-thread.ts';
import type { DataReport, FilledGroup, GroupResult, GroupTask } from './fill-group.ts';

/** Far more than any request within the limits of the package needs. These values apply only if such a limit fails. */
const TIMEOUT_MS = 30_000;
/** For the first document of a thread: loading the code may take long while a machine starts many processes. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;
/** Number of rounds after which the code of a thread is fully optimized. */
const WARM_UP_ROUNDS = 20;

export interface AnnotateThreadsOptions extends AnnotateThreadData {
  /** Requests that run at a time. */
  threads: number;
  timeoutMs?: number;
  heapMibMax?: number;
  /** Requests after which a thread is replaced. */
  requestsMax?: number;
}

export interface FillRequest {
  source: Buffer;
  /** The JSON of `fieldValues`. */
  fields: Buffer;
  images: Buffer;
  options: Annotation;
}

export interface DataRequest {
  source: Buffer;
  /** The data as JSON. */
  data: Buffer;
  images: Buffer;
  options: Generation;
}

/** Threads that fill and inspect templates. Each caches the templates that it has read. */
export class AnnotateThreads {
  readonly #count: number;
  readonly #threads: WorkerThreads<AnnotateTask, TaskResult | GroupResult>;
  /** What a successor fills first. */
  #warmUp: SingleTask[] = [];

  constructor({
    threads,
    timeoutMs = TIMEOUT_MS,
    heapMibMax = HEAP_MIB_MAX,
    requestsMax,
    ...data
  }: AnnotateThreadsOptions) {
    this.#count = threads;
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'annotate-thread'),
      threads,
      timeoutMs,
      heapMibMax,
      requestsMax,
      warmUp: () => this.#warmUp,
      data,
      fail: abortError('template', 'template'),
    });
  }

  /** Fills documents in each thread, so that its code is compiled before the first request. */
  async warmUp(fields: FillRequest, data: DataRequest): Promise<void> {
    const { signal } = new AbortController();
    const tasks = [
      { kind: 'annotate', ...fields },
      { kind: 'generate', ...data },
    ] as const;
    this.#warmUp = Array.from({ length: WARM_UP_ROUNDS }, () => tasks).flat();
    const rounds = Array.from({ length: this.#count * WARM_UP_ROUNDS }, () =>
      tasks.map((task) => this.#ask(task, 'fill', signal, READY_MS_MAX)),
    );
    await Promise.all(rounds.flat());
  }

  /** Rejects with the errors of `annotate`. */
  async fill(request: FillRequest, signal: AbortSignal): Promise<{ bytes: Buffer; report: FillReport }> {
    const { bytes, report } = await this.#ask({ kind: 'annotate', ...request }, 'fill', signal);
    return { bytes: asBuffer(bytes), report: report as FillReport };
  }

  /** Rejects with the errors of `generate`. */
  async generate(request: DataRequest, signal: AbortSignal): Promise<{ bytes: Buffer; report: DataReport }> {
    const { bytes, report } = await this.#ask({ kind: 'generate', ...request }, 'fill', signal);
    return { bytes: asBuffer(bytes), report: report as DataReport };
  }

  /** Returns the JSON of an `inspection`. Rejects with the errors of `inspect`. */
  async inspect(source: Buffer, signal: AbortSignal): Promise<Buffer> {
    return asBuffer((await this.#ask({ kind: 'inspect', source }, 'inspect', signal)).bytes);
  }

  /**
   * Fills the next rows of a pack after all requests of single documents. `template` is called if a thread lacks the
   * template. Rejects for faults of the thread; what is wrong with the template or a row is in the result.
   */
  async fillRows(
    task: Omit<GroupTask, 'kind' | 'source'>,
    template: () => Promise<Buffer>,
    signal: AbortSignal,
  ): Promise<FilledGroup> {
    const ask = async (source?: Buffer) => {
      const group: GroupTask = { kind: 'rows', ...task, ...(source && { source }) };
      const affinity = task.hash;
      return (await this.#threads.ask(group, {
        signal,
        affinity,
        isPatient: true,
        tooComplex: (why) => `The template takes ${why} to fill.`,
      })) as GroupResult;
    };
    const known = await ask();
    if (!('lacksTemplate' in known)) return known;
    const filled = await ask(await template());
    if ('lacksTemplate' in filled) throw new Error('a thread lacks a template that it was given');
    return filled;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }

  async #ask(
    task: SingleTask,
    verb: 'fill' | 'inspect',
    signal: AbortSignal,
    timeoutMs?: number,
  ): Promise<TaskResult> {
    return (await this.#threads.ask(task, {
      signal,
      ...(timeoutMs && { timeoutMs }),
      affinity: createHash('sha256').update(task.source).digest('base64url'),
      tooComplex: (why) => `The template takes ${why} to ${verb}.`,
    })) as TaskResult;
  }
}
