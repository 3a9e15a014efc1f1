import { getInput, putResult } from '@scriptorium/shared/blob/exchange';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { annotateJob } from '@scriptorium/shared/jobs/annotate';
import { conversion, convertJob, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import type { inspectJob } from '@scriptorium/shared/jobs/inspect';
import { nextStep } from '@scriptorium/shared/queue/define-job';
import type { JobHandler } from '@scriptorium/shared/queue/job-handler';
import type { z } from 'zod';
import type { AnnotateThreads } from './annotate-threads.ts';

/** Options of the conversion of a filled template: the defaults. */
const TO_PDF = conversion.parse({ from: 'docx', to: 'pdf', pdfua: false, strictFonts: false });

/** Gets the template, its field values and images, and puts the filled document for the gateway or the converter. */
export function annotateHandler(
  threads: Pick<AnnotateThreads, 'fill'>,
  blobs: BlobStore,
): JobHandler<z.output<typeof annotateJob.input>, z.input<typeof annotateJob.output>> {
  return async (input, { requestId, deadlineAt, signal }) => {
    const startedAt = performance.now();
    const [source, fields, images] = await Promise.all([
      getInput(blobs, input.source),
      getInput(blobs, input.fields),
      input.images === undefined ? Buffer.alloc(0) : getInput(blobs, input.images),
    ]);
    const { bytes, report } = await threads.fill({ source, fields, images, options: input.options }, signal);
    const result = await putResult(blobs, requestId, bytes, deadlineAt);
    return {
      output: {
        result,
        contentType: TARGET_CONTENT_TYPES.docx,
        report: { ...report, runMs: performance.now() - startedAt },
      },
      blobs: [result.key],
      next: input.to === 'pdf' ? nextStep(convertJob, { source: result, options: TO_PDF }) : undefined,
    };
  };
}

/** Gets the template and puts the list of its fields for the gateway. */
export function inspectHandler(
  threads: Pick<AnnotateThreads, 'inspect'>,
  blobs: BlobStore,
): JobHandler<z.output<typeof inspectJob.input>, z.input<typeof inspectJob.output>> {
  return async ({ source }, { requestId, deadlineAt, signal }) => {
    const inspection = await threads.inspect(await getInput(blobs, source), signal);
    const result = await putResult(blobs, requestId, inspection, deadlineAt);
    return { output: { result }, blobs: [result.key] };
  };
}
