import { z } from 'zod';
import type { Role } from './services.ts';

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
