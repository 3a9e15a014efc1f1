import type { Role } from '@scriptorium/sealing/job-keys';
import { z } from 'zod';

/** The contract of a job. The validation of the gateway, the OpenAPI document and the parser of the worker derive from it. */
export interface JobDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  name: string;
  /** The workers of the job. */
  role: Role;
  input: Input;
  output: Output;
  /** Maximum time of one attempt. */
  timeoutMs: number;
}

export function defineJob<Input extends z.ZodType, Output extends z.ZodType>(
  definition: JobDefinition<Input, Output>,
): JobDefinition<Input, Output> {
  return Object.freeze(definition);
}

/**
 * A reference to the bytes of a document in the store, where they are encrypted. `seal` is their key (`sealBlob`), and `boxed`
 * the same for the signer only, if others carry the reference. Without both, the bytes are as they are.
 */
export const blobRef = z.object({
  key: z.string().max(120),
  bytes: z.number().int().nonnegative(),
  seal: z.string().max(64).optional(),
  boxed: z.string().max(160).optional(),
});
export type BlobRef = z.infer<typeof blobRef>;

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
  /** Whether every process of the request finds near blobs, so that results may be such. Earlier versions do not. */
  near: z.boolean().optional().catch(undefined),
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

/** The next job of a request, which a worker returns instead of an answer. */
export interface NextStep {
  queue: string;
  input: unknown;
  /** The blobs that the job reads. Other blobs can be removed before it is added. */
  blobs: string[];
}

export function nextStep<Input extends z.ZodType, Output extends z.ZodType>(
  job: JobDefinition<Input, Output>,
  input: z.input<Input>,
): NextStep {
  return { queue: job.name, input, blobs: blobsIn(input) };
}

/** Returns the keys of all references in a value. */
function blobsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const ref = blobRef.safeParse(value).data;
  return ref === undefined ? Object.values(value).flatMap(blobsIn) : [ref.key];
}

/** Maximum size of a queue entry, which prevents documents in the queue. */
export const JOB_BYTES_MAX = 64 * 1024;
