import { z } from 'zod';
import { errorCode, errorDetail } from '../documents/error-groups.ts';

export const STATES = ['queued', 'running', 'delivering', 'succeeded', 'failed', 'canceled'] as const;
export type State = (typeof STATES)[number];

export const hasEnded = (state: State): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'canceled';

const failure = z.strictObject({
  code: errorCode,
  message: z.string(),
  requestId: z.string().optional(),
  details: z.array(errorDetail).optional(),
});
export type Failure = z.output<typeof failure>;

const result = z.strictObject({
  contentType: z.string(),
  bytes: z.int().min(0),
  sha256: z.string().meta({ description: 'SHA-256 of the bytes, in hexadecimal' }),
});
export type Result = z.output<typeof result>;

const delivery = z.strictObject({
  since: z.iso.datetime().optional().meta({ description: 'When the result was there to be delivered' }),
  tries: z.int().min(0),
  status: z.int().min(0).optional().meta({ description: 'Status of the last answer' }),
  etag: z.string().optional(),
});
export type Delivery = z.output<typeof delivery>;

const notification = z.strictObject({
  outcome: z.enum(['pending', 'delivered', 'given up']),
  tries: z.int().min(0),
  status: z.int().min(0).optional().meta({ description: 'Status of the last answer' }),
});
export type Notification = z.output<typeof notification>;

/** A job as its owner sees it. */
export const shownJob = z
  .strictObject({
    id: z.string(),
    operation: z.string().meta({ description: 'The `operationId` of the request' }),
    status: z.enum(STATES),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    error: failure.optional().meta({ description: 'Of a failed job: what the answer would have said' }),
    result: result
      .extend({
        headers: z
          .record(z.string(), z.string())
          .meta({ description: 'The headers that the answer would have had' }),
        url: z.string().optional().meta({ description: 'Where the result waits, to be fetched once' }),
      })
      .optional(),
    delivery: delivery
      .extend({ url: z.string().meta({ description: 'The address without its query' }) })
      .optional(),
    notification: notification.extend({ url: z.string() }).optional(),
  })
  .meta({ id: 'Job' });
export type ShownJob = z.input<typeof shownJob>;
