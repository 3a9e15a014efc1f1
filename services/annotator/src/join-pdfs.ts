import type { joinJob } from '@scriptorium/contracts/jobs/merge';
import type { joinRowsJob } from '@scriptorium/contracts/jobs/rows';
import type { JoinOptions } from '@scriptorium/pdf/join';
import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { z } from 'zod';
import { fittingWarnings } from './fitting-warnings.ts';
import type { Joiner } from './joiner.ts';

/**
 * Joins the documents of a batch, pack by pack, so that only one pack and the result are in memory. The gateway removes the
 * packs.
 */
export function joinRowsHandler(
  joiner: Joiner,
  blobs: BlobStore,
): JobHandler<z.output<typeof joinRowsJob.input>, z.input<typeof joinRowsJob.output>> {
  return async ({ packs, bytesMax, title }, { signal, keep }) => {
    const startedAt = performance.now();
    const options: JoinOptions = { bytesMax, titleIfNone: title, titleIfDifferent: title };
    const { bytes, warnings } = await joiner.join(packs, signal, async (ref, thread) => {
      const pack = await getInput(blobs, ref);
      await thread.addPack({ pack, options }, signal);
    });
    const result = keep(bytes);
    const codes = [...new Set(warnings.map(({ code }) => code))];
    return { output: { result, warnings: codes, runMs: performance.now() - startedAt } };
  };
}

/** Joins the parts of a merge, one by one. */
export function joinHandler(
  joiner: Joiner,
  blobs: BlobStore,
): JobHandler<z.output<typeof joinJob.input>, z.input<typeof joinJob.output>> {
  return async ({ parts, bytesMax, titleIfNone }, { signal, keep }) => {
    const startedAt = performance.now();
    const options: JoinOptions = { bytesMax, titleIfNone };
    const { bytes, pages, warnings } = await joiner.join(
      parts,
      signal,
      async ({ source, ...place }, thread) => {
        const document = await getInput(blobs, source);
        await thread.add({ bytes: document, place, options }, signal);
      },
    );
    const result = keep(bytes);
    const runMs = performance.now() - startedAt;
    return { output: { result, pages, warnings: fittingWarnings(warnings), runMs } };
  };
}
