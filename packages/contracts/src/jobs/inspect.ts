import { lintReport } from '@scriptorium/docx-generate/inspection';
import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';

/** The result is a JSON blob with an `inspection`; with `to` `docx`, the template with comments. */
export const inspectJob = defineJob({
  name: 'inspect',
  role: 'annotator',
  /** `data` is the JSON of data to compare with the template. */
  input: z.object({
    source: blobRef,
    data: blobRef.optional(),
    isForm: z.boolean().optional(),
    /** The password of an encrypted PDF form, sealed for the annotator. */
    passwordBox: z.string().optional(),
    to: z.enum(['json', 'docx']).default('json'),
  }),
  output: z.object({ result: blobRef, lint: lintReport.optional() }),
  timeoutMs: 120_000,
});
