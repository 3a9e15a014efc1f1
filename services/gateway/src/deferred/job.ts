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

/** Failed rows that a job lists. */
export const FAILURES_MAX = 100;

const rowFailure = z.strictObject({
  index: z.int().min(0).meta({ description: 'The place of the row, starting at 0' }),
  id: z.union([z.string(), z.number()]).optional(),
  error: failure,
});
export type RowFailure = z.output<typeof rowFailure>;

const progress = z.strictObject({
  rows: z.int().min(0).meta({ description: 'Rows with an outcome' }),
  done: z
    .int()
    .min(0)
    .meta({ description: 'Those of them whose document was delivered, or is in the answer' }),
  failed: z.int().min(0),
  at: z.iso.datetime().meta({ description: 'When the last row had its outcome' }),
  failures: z
    .array(rowFailure)
    .max(FAILURES_MAX)
    .meta({ description: `The first ${FAILURES_MAX} failed rows, if each row has its own \`deliver\`` }),
});
export type Progress = z.output<typeof progress>;

const part = z.strictObject({
  etag: z.string().optional().meta({ description: 'For `CompleteMultipartUpload`' }),
  bytes: z.int().min(0),
});
export type Part = z.output<typeof part>;

/** A job as its owner sees it. */
export const shownJob = z
  .strictObject({
    id: z.string(),
    operation: z.string().meta({ description: 'The `operationId` of the request' }),
    status: z.enum(STATES),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().optional(),
    endedAt: z.iso.datetime().optional(),
    error: failure.optional().meta({ description: 'What the answer of a failed job would have said' }),
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
    progress: progress.optional().meta({ description: 'Only for a batch' }),
    parts: z
      .array(part)
      .optional()
      .meta({ description: 'What `deliver.parts` got, in the order of the parts' }),
  })
  .meta({ id: 'Job' });
export type ShownJob = z.input<typeof shownJob>;
