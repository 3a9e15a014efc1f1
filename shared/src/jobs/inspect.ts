import { z } from 'zod';
import { blobRef, defineJob } from '../queue/define-job.ts';

/** Its result is a blob of JSON: an `inspection`. */
export const inspectJob = defineJob({
  name: 'inspect',
  input: z.object({ source: blobRef }),
  output: z.object({ result: blobRef }),
  timeoutMs: 120_000,
});
