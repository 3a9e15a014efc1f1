import { z } from 'zod';

/**
 * A mail to send. The code is drawn when the mail is sent, so that neither it nor an API key ever lies in a queue.
 */
export const mailJob = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('verification-code'),
    address: z.string(),
    /** The address is over its rate limit. Queued all the same, so that every registration takes the same time. */
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
