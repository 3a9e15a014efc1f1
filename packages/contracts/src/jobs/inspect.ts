import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';

/** The result is a JSON blob with an `inspection`. */
export const inspectJob = defineJob({
  name: 'inspect',
  role: 'annotator',
  /** `data` is the JSON of data to compare with the template. */
  input: z.object({ source: blobRef, data: blobRef.optional() }),
  output: z.object({ result: blobRef }),
  timeoutMs: 120_000,
});
