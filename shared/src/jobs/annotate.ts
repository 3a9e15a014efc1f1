import { annotateReport, annotation } from '@scriptorium/docx-template/annotation';
import { z } from 'zod';
import { blobRef, defineJob } from '../queue/define-job.ts';

/** `fields` is a blob of JSON, `fieldValues` of the template package; `images` the bytes that these refer to. */
export const annotateJob = defineJob({
  name: 'annotate',
  input: z.object({
    source: blobRef,
    fields: blobRef,
    images: blobRef.optional(),
    options: annotation,
    /** Where the result goes from there: to the converter, with no second trip through the gateway. */
    to: z.enum(['docx', 'pdf']),
  }),
  output: z.object({ result: blobRef, contentType: z.string(), report: annotateReport }),
  timeoutMs: 120_000,
});
