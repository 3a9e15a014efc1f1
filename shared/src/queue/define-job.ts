import { z } from 'zod';

/** One contract a job: the producer's validation, the OpenAPI document and the worker's parse derive from it. */
export interface JobDefinition<Input extends z.ZodType, Output extends z.ZodType> {
  name: string;
  input: Input;
  output: Output;
  /** Longest run of one attempt. */
  timeoutMs: number;
}

export function defineJob<Input extends z.ZodType, Output extends z.ZodType>(
  definition: JobDefinition<Input, Output>,
): JobDefinition<Input, Output> {
  return Object.freeze(definition);
}

/** Where a document's bytes lie while a job runs. */
export const blobRef = z.object({ key: z.string().max(120), bytes: z.number().int().nonnegative() });
export type BlobRef = z.infer<typeof blobRef>;

/** What a step of a request told when it handed the request on. */
const stepTaken = z.object({ output: z.unknown(), runMs: z.number() });
/** The steps before this one, in their order. */
export const trail = z.array(stepTaken);
export type Trail = z.infer<typeof trail>;

/** What a queue carries for a job: references and numbers, never bytes. Times are epoch milliseconds. */
export const jobEnvelope = z.object({
  requestId: z.string(),
  replyTo: z.string(),
  deadlineAt: z.number(),
  /** Blobs that are of no use once the job has been answered. */
  blobs: z.array(z.string()),
  /** Of this request among others, in the queue of every step. */
  priority: z.number().int().nonnegative().default(0),
  trail: trail.default([]),
  /** Where the trace of the request stands (W3C Trace Context); a process that makes no traces hands it on. */
  traceparent: z.string().max(128).optional().catch(undefined),
  tracestate: z.string().max(512).optional().catch(undefined),
  input: z.unknown(),
});
export type JobEnvelope = z.infer<typeof jobEnvelope>;

/** The job that a worker has done next, in place of an answer of its own. */
export interface NextStep {
  queue: string;
  input: unknown;
  /** Those that it reads: until it has been added, nothing else needs to be kept. */
  blobs: string[];
}

export function nextStep<Input extends z.ZodType, Output extends z.ZodType>(
  job: JobDefinition<Input, Output>,
  input: z.input<Input>,
): NextStep {
  return { queue: job.name, input, blobs: blobsIn(input) };
}

/** The keys of all references in a value. */
function blobsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const ref = blobRef.safeParse(value).data;
  return ref === undefined ? Object.values(value).flatMap(blobsIn) : [ref.key];
}

/** Largest job in the queue, as a guard against bytes slipping in. */
export const JOB_BYTES_MAX = 64 * 1024;
