import { z } from 'zod';

/**
 * A mail to send. The code is drawn when the mail is sent, so that a queue never contains codes or API keys.
 */
export const mailJob = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('verification-code'),
    address: z.string(),
    /** The registration, and a hash of the client network that asked. The code is valid for them only. */
    registration: z.string(),
    network: z.string(),
    /** The address exceeds its rate limit. The job is still queued, so that every registration takes the same time. */
    isOverShare: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('key-issued'),
    address: z.string(),
    keyId: z.string(),
    last4: z.string(),
  }),
]);
export type MailJob = z.infer<typeof mailJob>;
