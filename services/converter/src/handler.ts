import { getInput } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { convertJob } from '@scriptorium/shared/jobs/convert';
import { signJob } from '@scriptorium/shared/jobs/sign';
import { nextStep } from '@scriptorium/shared/queue/define-job';
import type { JobHandler, JobShare } from '@scriptorium/shared/queue/job-handler';
import type { z } from 'zod';
import type { FairConvert } from './fair-convert.ts';

/** The share of a job without a worker. */
const ALONE: JobShare = { owner: undefined, isOverBudget: false, starts: 1, spend() {}, stepAside() {} };

/** Fetches the document, converts it, and keeps the result for the gateway or the signer. */
export function convertHandler(
  convert: FairConvert,
  blobs: BlobStore,
): JobHandler<z.output<typeof convertJob.input>, z.input<typeof convertJob.output>> {
  return async ({ source, options, thenSign }, { deadlineAt, signal, keep }, share = ALONE) => {
    const read = () => getInput(blobs, source);
    const converted = await convert(read, options, { signal, deadlineAt }, share);
    const result = keep(converted.bytes);
    return {
      output: { result, contentType: converted.contentType, report: converted.report },
      next: thenSign && nextStep(signJob, { ...thenSign, source: result }),
    };
  };
}
