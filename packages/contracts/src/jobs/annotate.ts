import { annotateReport, annotation } from '@scriptorium/docx-template/annotation';
import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';

/** `fields` is a JSON blob with `fieldValues` of the template package. `images` has the bytes to which they refer. */
export const annotateJob = defineJob({
  name: 'annotate',
  role: 'annotator',
  input: z.object({
    source: blobRef,
    fields: blobRef,
    images: blobRef.optional(),
    options: annotation,
    /** The template is a PDF form, and so is the result. */
    isForm: z.boolean().optional(),
    /** The password of an encrypted PDF form, sealed for the annotator. */
    passwordBox: z.string().optional(),
    /** With `pdf`, the annotator forwards the result to the converter without a second trip through the gateway. */
    to: z.enum(['docx', 'pdf']),
  }),
  output: z.object({ result: blobRef, contentType: z.string(), report: annotateReport }),
  timeoutMs: 120_000,
});
