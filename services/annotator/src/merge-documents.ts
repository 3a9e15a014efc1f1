import { nextStep } from '@scriptorium/contracts/define-job';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import type { mergeJob } from '@scriptorium/contracts/jobs/merge';
import { getInput, onOwnBytes } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { z } from 'zod';
import { fittingWarnings } from './fitting-warnings.ts';
import type { MergeThreads } from './threads.ts';

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
    const result = keep(bytes);
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
