import { nextStep } from '@scriptorium/contracts/define-job';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { mergeJob } from '@scriptorium/contracts/jobs/merge';
import { minimalDocx } from '@scriptorium/ooxml/package';
import { getInput, onOwnBytes } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { z } from 'zod';
import { fittingWarnings } from './fitting-warnings.ts';
import type { MergeResult, MergeTask } from './merge-thread.ts';

/** Far more than documents within the limits of the package need. */
const TIMEOUT_MS = 30_000;
/** For the first documents of a thread: loading the code may take long while a machine starts many processes. */
const READY_MS_MAX = 180_000;
const HEAP_MIB_MAX = 1_024;

/** Threads that merge documents. They are apart from those that fill templates, which have to answer within milliseconds. */
export class MergeThreads {
  readonly #threads: WorkerThreads<MergeTask, MergeResult>;

  constructor(threads: number) {
    this.#threads = new WorkerThreads({
      program: programBeside(import.meta.url, 'merge-thread'),
      threads,
      timeoutMs: TIMEOUT_MS,
      heapMibMax: HEAP_MIB_MAX,
      fail: abortError('merge', 'document'),
    });
  }

  /** Merges documents in each thread, so that its code is loaded before the first request. */
  async warmUp(): Promise<void> {
    const options = mergeJob.input.shape.options.parse({});
    const parts = ['one', 'two'].map((text) => ({
      source: minimalDocx(`<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`),
    }));
    await this.#threads.askEach(
      { parts, first: 0, options },
      { timeoutMs: READY_MS_MAX, tooComplex: (why) => `The first documents take ${why} to merge.` },
    );
  }

  /** Rejects with the errors of `merge`, and the places of the documents in the request. */
  merge(task: MergeTask, signal: AbortSignal): Promise<MergeResult> {
    return this.#threads.ask(task, {
      signal,
      tooComplex: (why) => `The documents take ${why} to merge.`,
    });
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

/** Gets the documents and keeps the merged one for the gateway or the converter. */
export function mergeHandler(
  threads: Pick<MergeThreads, 'merge'>,
  blobs: BlobStore,
): JobHandler<z.output<typeof mergeJob.input>, z.input<typeof mergeJob.output>> {
  return async ({ documents, first, options, thenConvert }, { signal, keep }) => {
    const startedAt = performance.now();
    const parts = await Promise.all(
      documents.map(async ({ source, ...part }) => ({ ...part, source: await getInput(blobs, source) })),
    );
    const { bytes, warnings } = await onOwnBytes(
      parts.map(({ source }) => source),
      () => threads.merge({ parts, first, options }, signal),
    );
    const result = keep(asBuffer(bytes));
    return {
      output: {
        result,
        warnings: fittingWarnings(
          warnings.flatMap(({ isOfPdf, ...warning }) => (isOfPdf && !thenConvert ? [] : [warning])),
        ),
        runMs: performance.now() - startedAt,
      },
      next: thenConvert && nextStep(convertJob, { source: result, options: thenConvert }),
    };
  };
}
