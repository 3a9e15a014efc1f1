import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { joinRowsJob } from '@scriptorium/shared/jobs/rows';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import { abortError } from '@scriptorium/shared/threads/abort-error';
import { asBuffer } from '@scriptorium/shared/threads/thread';
import { programBeside, WorkerThreads } from '@scriptorium/shared/threads/worker-threads';
import type { z } from 'zod';
import type { JoinTask } from './join-thread.ts';

/** Far more than any pack needs. */
const TIMEOUT_MS = 60_000;
const HEAP_MIB_MAX = 1_024;

/**
 * Joins the documents of a batch, pack by pack, so that only one pack and the result are in memory. The gateway removes the
 * packs. Each file has a thread of its own, which ends with it.
 */
export function joinRowsHandler(
  blobs: BlobStore,
): JobHandler<z.output<typeof joinRowsJob.input>, z.input<typeof joinRowsJob.output>> {
  return async ({ packs, bytesMax }, { signal, keep }) => {
    const startedAt = performance.now();
    const thread = new WorkerThreads<JoinTask, Uint8Array>({
      program: programBeside(import.meta.url, 'join-thread'),
      threads: 1,
      timeoutMs: TIMEOUT_MS,
      heapMibMax: HEAP_MIB_MAX,
      fail: abortError('joining', 'document'),
    });
    const ask = (task: JoinTask) =>
      thread.ask(task, { signal, tooComplex: (why) => `The documents take ${why} to join.` });
    try {
      for (const pack of packs) await ask({ pack: await getInput(blobs, pack), bytesMax });
      const result = keep(asBuffer(await ask('end')));
      return { output: { result, runMs: performance.now() - startedAt } };
    } finally {
      await thread.close();
    }
  };
}
