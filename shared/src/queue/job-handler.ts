import type { BlobRef, NextStep } from '@scriptorium/contracts/define-job';
import type { AppError } from '@scriptorium/contracts/errors';

/** The context of a job in addition to its input. */
export interface JobContext {
  requestId: string;
  /** Epoch milliseconds. */
  deadlineAt: number;
  /** Aborted when the caller disconnects or the deadline passes. */
  signal: AbortSignal;
  /** Keeps bytes as a result for the gateway or the next step, and returns their reference. Overwrites the bytes. */
  keep(bytes: Buffer): BlobRef;
}

/** How a job shares the engines of its worker with the jobs of others. */
export interface JobShare {
  /** See `jobEnvelope`. */
  owner: string | undefined;
  isOverBudget: boolean;
  /** How often the job has started; more than once if it was put back. */
  starts: number;
  /** Counts time that the job took of an engine, ms. */
  spend(ms: number): void;
  /** Lets the worker take one more job until this one ends. */
  stepAside(): void;
}

export interface JobResult<Output> {
  output: Output;
  /** If set, the request is forwarded with the output to the worker of this job, which answers it. */
  next?: NextStep | undefined;
}

/** Processes one job. Throws AppError for an expected failure, and `PutBack`. */
export type JobHandler<Input, Output> = (
  input: Input,
  context: JobContext,
  /** Given by a worker. */
  share?: JobShare,
) => Promise<JobResult<Output>>;

/** The events of the jobs of a worker. */
export interface JobEvents {
  /** `waitMs` is the time since queueing, measured with the clocks of the gateway and of this worker. */
  began?(requestId: string, waitMs: number): void;
  /** The job has a result of this size. */
  made?(bytes: number): void;
  /** The job was answered or forwarded to the next step. */
  answered(requestId: string, runMs: number): void;
  failed(requestId: string, error: AppError): void;
  putBack?(requestId: string): void;
  dropped(requestId: string, reason: 'cancelled' | 'deadline' | 'gateway gone'): void;
  queueError(error: unknown): void;
}
