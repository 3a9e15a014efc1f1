import { z } from 'zod';
import { blobRef, defineJob } from '../queue/define-job.ts';

/** The profile that is the service's own key. */
export const SERVICE_PROFILE = 'service';

/** `request` is a blob of JSON, a `signing`; `images` the bytes that its appearance refers to. */
export const signRequest = z.object({ request: blobRef, images: blobRef.optional() });

export const signJob = defineJob({
  name: 'sign',
  input: signRequest.extend({ source: blobRef }),
  /** `reply` is a blob of JSON, a `signReply`. */
  output: z.object({
    result: blobRef,
    reply: blobRef,
    contentType: z.string(),
    runMs: z.number().nonnegative(),
  }),
  timeoutMs: 120_000,
});
