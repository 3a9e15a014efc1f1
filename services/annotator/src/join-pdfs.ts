import type { joinJob } from '@scriptorium/contracts/jobs/merge';
import type { joinRowsJob } from '@scriptorium/contracts/jobs/rows';
import type { JoinOptions } from '@scriptorium/pdf/join';
import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { z } from 'zod';
import { fittingWarnings } from './fitting-warnings.ts';
import type { JoinResult, JoinTask } from './join-thread.ts';

/** Far more than any pack needs. */
const TIMEOUT_MS = 60_000;
const HEAP_MIB_MAX = 1_024;

/**
 * Joins the documents of a batch, pack by pack, so that only one pack and the result are in memory. The gateway removes the
 * packs.
 */
export function joinRowsHandler(
  blobs: BlobStore,
): JobHandler<z.output<typeof joinRowsJob.input>, z.input<typeof joinRowsJob.output>> {
  return async ({ packs, bytesMax, title }, { signal, keep }) => {
    const startedAt = performance.now();
    const options: JoinOptions = { bytesMax, titleIfNone: title, titleIfDifferent: title };
    const { bytes, warnings } = await join(packs, signal, async (pack) => ({
      pack: await getInput(blobs, pack),
      options,
    }));
    const result = keep(asBuffer(bytes));
    const codes = [...new Set(warnings.map(({ code }) => code))];
    return { output: { result, warnings: codes, runMs: performance.now() - startedAt } };
  };
}

/** Joins the parts of a merge, one by one. */
export function joinHandler(
  blobs: BlobStore,
): JobHandler<z.output<typeof joinJob.input>, z.input<typeof joinJob.output>> {
  return async ({ parts, bytesMax, titleIfNone }, { signal, keep }) => {
    const startedAt = performance.now();
    const options: JoinOptions = { bytesMax, titleIfNone };
    const { bytes, pages, warnings } = await join(parts, signal, async ({ source, ...place }) => ({
      bytes: await getInput(blobs, source),
      place,
      options,
    }));
    const result = keep(asBuffer(bytes));
    const runMs = performance.now() - startedAt;
    return { output: { result, pages, warnings: fittingWarnings(warnings), runMs } };
  };
}

/** Gives the items to a thread of their own, one after the other. It ends with the file. */
async function join<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  taskOf: (item: Item) => Promise<JoinTask>,
): Promise<JoinResult> {
  const thread = new WorkerThreads<JoinTask, JoinResult>({
    program: programBeside(import.meta.url, 'join-thread'),
    threads: 1,
    timeoutMs: TIMEOUT_MS,
    heapMibMax: HEAP_MIB_MAX,
    fail: abortError('joining', 'document'),
  });
  const ask = (task: JoinTask) =>
    thread.ask(task, { signal, tooComplex: (why) => `The documents take ${why} to join.` });
  try {
    for (const item of items) await ask(await taskOf(item));
    return await ask('end');
  } finally {
    await thread.close();
  }
}
