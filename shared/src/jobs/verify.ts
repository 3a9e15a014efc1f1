import { z } from 'zod';
import { blobRef, defineJob } from '../queue/define-job.ts';

/** The trust profile that ends at this service's own certificates. */
export const SERVICE_TRUST = 'service';

export const verifyJob = defineJob({
  name: 'verify',
  /** `request` is a blob of JSON, a `verification`. */
  input: z.object({ source: blobRef, request: blobRef }),
  /** `reply` is a blob of JSON, a `verifyReply`. */
  output: z.object({ reply: blobRef, runMs: z.number().nonnegative() }),
  timeoutMs: 120_000,
});
