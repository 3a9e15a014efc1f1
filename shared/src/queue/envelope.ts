import { z } from 'zod';

/** The output of a step that forwarded the request. */
const stepTaken = z.object({ output: z.unknown(), runMs: z.number(), spentMs: z.number().optional() });
/** The previous steps in order. */
export const trail = z.array(stepTaken);
export type Trail = z.infer<typeof trail>;

/** The queue entry of a job: references and numbers, but no bytes. Times are in epoch milliseconds. */
export const jobEnvelope = z.object({
  requestId: z.string(),
  replyTo: z.string(),
  deadlineAt: z.number(),
  /** Blobs to remove after the answer of the job. */
  blobs: z.array(z.string()),
  /** The priority of the request in the queue of every step. */
  priority: z.number().int().nonnegative().default(0),
  trail: trail.default([]),
  /** Who shares the engines with others: a hash. Jobs without one count as one owner. */
  owner: z.string().max(64).optional().catch(undefined),
  /** Whether the owner has used up the engine time of this minute. */
  isOverBudget: z.boolean().optional().catch(undefined),
  /** Until then (epoch milliseconds), the job is for another worker than this one. */
  avoid: z.object({ worker: z.string(), until: z.number() }).optional().catch(undefined),
  /** The trace context of the request (W3C). A process without tracing forwards it. */
  traceparent: z.string().max(128).optional().catch(undefined),
  tracestate: z.string().max(512).optional().catch(undefined),
  /** The queue of the step that sealed the input. By default the gateway did. */
  from: z.string().optional(),
  /** See `GatewayKeys.onward`. */
  onward: z.record(z.string(), z.string()).optional(),
  /** A box of `GatewayKeys` or `WorkerKeys`, or the input itself where no keys are set. */
  input: z.unknown(),
});
export type JobEnvelope = z.infer<typeof jobEnvelope>;

/** Maximum size of a queue entry, which prevents documents in the queue. */
export const JOB_BYTES_MAX = 64 * 1024;
