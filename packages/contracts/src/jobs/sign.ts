import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';

/** The profile of the key of the service. */
export const SERVICE_PROFILE = 'service';

/** `request` is a JSON blob with a `signing`. `images` has the bytes to which its appearance refers. */
export const signRequest = z.object({ request: blobRef, images: blobRef.optional() });

export const signJob = defineJob({
  name: 'sign',
  role: 'signer',
  input: signRequest.extend({ source: blobRef }),
  /** `reply` is a JSON blob with a `signReply`. */
  output: z.object({
    result: blobRef,
    reply: blobRef,
    contentType: z.string(),
    runMs: z.number().nonnegative(),
  }),
  timeoutMs: 120_000,
});
