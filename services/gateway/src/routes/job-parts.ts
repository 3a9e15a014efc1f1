import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { JobClient, RunOptions } from '@scriptorium/shared/queue/client';
import type { BlobRef, JobDefinition } from '@scriptorium/shared/queue/define-job';
import type { Request } from 'express';
import type { z } from 'zod';
import type { Middleware, Reply } from '../context.ts';
import type { LoadShedder } from '../load-shedding.ts';

/** The client of the jobs of a definition. */
export type ClientOf<Definition> =
  Definition extends JobDefinition<infer Input, infer Output>
    ? JobClient<z.input<Input>, z.output<Output>>
    : never;

/** What every route needs that has workers answer. */
export interface JobParts<Definition> {
  jobs: ClientOf<Definition>;
  blobs: BlobStore;
  shedder: LoadShedder;
  /** Throws UNAVAILABLE while the servers that would hold the document are not fit for it. */
  checkStores(): Promise<void>;
  queueWaitMsMax: number;
  /** Reads the body. */
  receive: Middleware;
}

/**
 * Refuses a request before its body is read: for what `read` throws of it, and for what stores and workers could not do in
 * time. A job whose result goes on to the converter names that one's load shedder, which is asked where the result is a PDF.
 */
export function refuseEarly(
  parts: Pick<JobParts<never>, 'checkStores' | 'shedder'> & { conversionShedder?: LoadShedder },
  read: (request: Request) => { to?: string } = () => ({}),
): Middleware {
  return async (request, _response, next) => {
    const { to } = read(request);
    await parts.checkStores();
    await parts.shedder.check();
    if (to === 'pdf') await parts.conversionShedder?.check();
    next();
  };
}

/** How a job is run for a request that left these blobs for it. */
export function runOptions(response: Reply, queueWaitMsMax: number, blobs: BlobRef[]): RunOptions {
  const { requestId, deadlineAt, signal, inFlight } = response.locals;
  return {
    requestId,
    deadlineAt,
    signal,
    waitMsMax: queueWaitMsMax,
    // A key that has more in flight waits behind those that have less.
    priority: (inFlight ?? 1) - 1,
    blobs: blobs.map(({ key }) => key),
  };
}
