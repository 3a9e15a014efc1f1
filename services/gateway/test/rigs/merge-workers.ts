import { nextStep } from '@scriptorium/contracts/define-job';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { joinJob, type MergeWarning, mergeJob } from '@scriptorium/contracts/jobs/merge';
import type { JobContext } from '@scriptorium/shared/queue/job-handler';
import type { z } from 'zod';
import { type Servers, startWorker } from './workers.ts';

/** The parsed input of a merge, with the bytes of its documents. */
export interface MergeAsked {
  sources: Buffer[];
  job: z.output<typeof mergeJob.input>;
}

/** Merges documents in a test. It returns the "DOCX" and its warnings. */
export type TestMerging = (
  asked: MergeAsked,
  context: JobContext,
) => Promise<{ bytes: Buffer; warnings: MergeWarning[] }>;

export interface JoinAsked {
  pdfs: Buffer[];
  job: z.output<typeof joinJob.input>;
}

/** Joins "PDFs" in a test. */
export type TestJoining = (
  asked: JoinAsked,
  context: JobContext,
) => Promise<{ bytes: Buffer; warnings: MergeWarning[] }>;

export const startMerger = (servers: Servers, merge: TestMerging, concurrency: number) =>
  startWorker(
    servers,
    mergeJob,
    (desk) => async (job, context) => {
      const sources = await Promise.all(job.documents.map(({ source }) => desk.take(source)));
      const { bytes, warnings } = await merge({ sources, job }, context);
      const result = context.keep(Buffer.from(bytes));
      const next = job.thenConvert && nextStep(convertJob, { source: result, options: job.thenConvert });
      return { output: { result, warnings, runMs: 7 }, next };
    },
    concurrency,
  );

export const startJoiner = (servers: Servers, join: TestJoining) =>
  startWorker(
    servers,
    joinJob,
    (desk) => async (job, context) => {
      const pdfs = await Promise.all(job.parts.map(({ source }) => desk.take(source)));
      const { bytes, warnings } = await join({ pdfs, job }, context);
      return { output: { result: context.keep(Buffer.from(bytes)), pages: 9, warnings, runMs: 6 } };
    },
    2,
  );
