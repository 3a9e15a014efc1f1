import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';

export const augmentJob = defineJob({
  name: 'augment',
  role: 'signer',
  /** `request` is a JSON blob with an `augmentation`. */
  input: z.object({ source: blobRef, request: blobRef }),
  /** `reply` is a JSON blob with an `augmentReply`. */
  output: z.object({
    result: blobRef,
    reply: blobRef,
    contentType: z.string(),
    runMs: z.number().nonnegative(),
  }),
  timeoutMs: 120_000,
});
