import { z } from 'zod';
import { blobRef, defineJob } from '../define-job.ts';

/** The trust profile whose anchor is the certificate of this service. */
export const SERVICE_TRUST = 'service';
/** The trust profile whose anchors are the services of the trusted lists of the European Union. */
export const EU_TRUST = 'eu';

export const verifyJob = defineJob({
  name: 'verify',
  role: 'verifier',
  /** `request` is a JSON blob with a `verification`. */
  input: z.object({ source: blobRef, request: blobRef }),
  /** `reply` is the report: a `verifyReply` as JSON, unless the request names another format. */
  output: z.object({ reply: blobRef, contentType: z.string(), runMs: z.number().nonnegative() }),
  timeoutMs: 120_000,
});
