import type { BlobRef, JobDefinition } from '@scriptorium/contracts/define-job';
import type { ChainResult, RunOptions } from '@scriptorium/shared/queue/client';
import type { z } from 'zod';
import type { DocumentParts } from './parts.ts';

/** A part of a request, with blobs of its own. */
interface RequestPart {
  /** Unique in the request. */
  name: string;
  blobs: readonly BlobRef[];
  /** Ends the part before the request ends. */
  signal: AbortSignal;
}

/** Runs parts of one request apart. Their job ids are that of the request with the name of the part. */
export interface PartRunner {
  /** Runs a job on the blobs of a part; see `JobClient.runThrough`. The other blobs of the request stay in the store. */
  runPart<Input extends z.ZodType, Output extends z.ZodType>(
    part: RequestPart,
    job: JobDefinition<Input, Output>,
    input: z.input<Input>,
    later?: readonly JobDefinition<z.ZodType, z.ZodType>[],
  ): Promise<ChainResult>;
  /** Removes blobs that no job has taken. */
  removeBlobs(blobs: readonly BlobRef[]): Promise<void>;
}

/** `options` are those of the whole request. */
export function partRunner(
  { clients, blobs: store }: Pick<DocumentParts, 'clients' | 'blobs'>,
  options: RunOptions,
): PartRunner {
  return {
    runPart({ name, blobs, signal }, job, input, later = []) {
      const own = {
        requestId: `${options.requestId}.${name}`,
        signal: AbortSignal.any([options.signal, signal]),
        blobs: blobs.map(({ key }) => key),
      };
      return clients.of(job).jobs.runThrough(input, { ...options, ...own }, later);
    },
    removeBlobs: (blobs) => store.remove(blobs.map(({ key }) => key)),
  };
}
