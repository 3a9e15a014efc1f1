import type { AppError } from '../errors.ts';
import type { NextStep } from './define-job.ts';

/** What a handler knows of a job beside its input. */
export interface JobContext {
  requestId: string;
  /** Epoch milliseconds. */
  deadlineAt: number;
  /** Aborted when the caller no longer waits for the answer, or the deadline has passed. */
  signal: AbortSignal;
}

export interface JobResult<Output> {
  output: Output;
  /** Those that hold the result. */
  blobs: string[];
  /** Where the request goes from here: the worker of that job answers it, and the output travels along. */
  next?: NextStep | undefined;
}

/** Does one job. Throws AppError for an expected failure. */
export type JobHandler<Input, Output> = (input: Input, context: JobContext) => Promise<JobResult<Output>>;

/** What a worker reports of its jobs. */
export interface JobEvents {
  /** `waitMs` from being queued, by the clock of the gateway and that of this worker. */
  began?(requestId: string, waitMs: number): void;
  /** Or handed on to the next step. */
  answered(requestId: string, runMs: number): void;
  failed(requestId: string, error: AppError): void;
  dropped(requestId: string, reason: 'cancelled' | 'deadline' | 'gateway gone'): void;
  queueError(error: unknown): void;
}
