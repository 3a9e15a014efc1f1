import type { BlobRef } from '@scriptorium/contracts/define-job';
import { AppError, renamed } from '@scriptorium/contracts/errors';
import type { ConversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import { type Conversion, convertJob, pdfOptions } from '@scriptorium/contracts/jobs/convert';
import { joinJob, type MergeWarning, mergeJob } from '@scriptorium/contracts/jobs/merge';
import type { ChainResult } from '@scriptorium/shared/queue/client';
import type { PartRunner } from '../documents/part-runner.ts';
import type { MergeOptions } from '../requests/merge-request.ts';
import type { PlannedPart } from './merge-plan.ts';

/** Runs of one request that are in work at a time. */
const RUNS_AT_A_TIME_MAX = 4;

const TO_PDF: Conversion = { from: 'docx', to: 'pdf', ...pdfOptions.parse({}) };

type Run = Extract<PlannedPart, { kind: 'run' }>;

/** A merge whose documents are in the store. */
export interface StoredMerge {
  /** In the order of the request. */
  documents: readonly BlobRef[];
  parts: readonly PlannedPart[];
  options: MergeOptions;
}

/** Returns the input of the job that merges a run, which a converter then makes a PDF of if `toPdf` is true. */
export function runInput(
  { documents, options }: StoredMerge,
  { first, documents: given }: Run,
  toPdf: boolean,
) {
  return {
    documents: given.map((one, at) => ({ ...one, source: blobAt(documents, first + at) })),
    first,
    options,
    ...(toPdf && { thenConvert: TO_PDF }),
  };
}

function blobAt(documents: readonly BlobRef[], at: number): BlobRef {
  const blob = documents[at];
  if (blob === undefined) throw new Error(`document ${at} is not in the store`);
  return blob;
}

/** Throws an error of the converter with the paths of the documents of the run. */
export function nameRun({ first, documents }: Run): (error: unknown) => never {
  const name = documents.length === 1 ? `documents[${first}]` : 'documents';
  return (error) => {
    // The converter calls the document `file`.
    throw error instanceof AppError && error.step === 1
      ? renamed(error, (field) => (field === 'file' ? name : field))
      : error;
  };
}

/** A joined PDF, and how its parts were made. */
export interface JoinedParts {
  result: BlobRef;
  pages: number;
  warnings: readonly MergeWarning[];
  reports: readonly ConversionReport[];
  queueMs: number;
  mergeMs: number;
  joinMs: number;
}

/**
 * Makes a PDF of each run of DOCX documents, a few at a time, and joins all PDFs in order. Rejects with the first failure; then
 * nothing of the request is left in the store.
 */
export async function runParts(
  merge: StoredMerge & { titleIfNone: string; bytesMax: number },
  runner: PartRunner,
): Promise<JoinedParts> {
  const stop = new AbortController();
  const made: ChainResult[] = [];
  try {
    const pdfs: BlobRef[] = [];
    const queue = merge.parts.entries();
    const work = async (): Promise<void> => {
      for (const [at, part] of queue) {
        if (part.kind === 'pdf') {
          pdfs[at] = blobAt(merge.documents, part.first);
          continue;
        }
        const steps = await runOne(merge, part, runner, stop.signal);
        made.push(steps);
        pdfs[at] = steps.outputOf(convertJob).result;
      }
    };
    await Promise.all(Array.from({ length: RUNS_AT_A_TIME_MAX }, work));
    const joined = await joinAll(merge, pdfs, runner, stop.signal);
    const { result, pages, warnings, runMs } = joined.outputOf(joinJob);
    const merged = made.map((steps) => steps.outputOf(mergeJob));
    return {
      result,
      pages,
      warnings: [...merged.flatMap((one) => one.warnings), ...warnings].sort(byDocument),
      reports: made.map((steps) => steps.outputOf(convertJob).report),
      queueMs: joined.queueMs + Math.max(0, ...made.map(({ queueMs }) => queueMs)),
      mergeMs: merged.reduce((sum, one) => sum + one.runMs, 0),
      joinMs: runMs,
    };
  } catch (error) {
    stop.abort();
    const results = made.map((steps) => steps.outputOf(convertJob).result);
    void runner.removeBlobs([...merge.documents, ...results]).catch(() => undefined);
    throw error;
  }
}

function runOne(merge: StoredMerge, run: Run, runner: PartRunner, signal: AbortSignal): Promise<ChainResult> {
  const blobs = run.documents.map((_, at) => blobAt(merge.documents, run.first + at));
  const part = { name: String(run.first), blobs, signal };
  return runner.runPart(part, mergeJob, runInput(merge, run, true), [convertJob]).catch(nameRun(run));
}

function joinAll(
  { parts, titleIfNone, bytesMax }: Parameters<typeof runParts>[0],
  pdfs: readonly BlobRef[],
  runner: PartRunner,
  signal: AbortSignal,
): Promise<ChainResult> {
  const sources = parts.map(({ kind, first }, at) => ({
    source: blobAt(pdfs, at),
    document: first,
    isMade: kind === 'run',
  }));
  return runner.runPart({ name: 'join', blobs: pdfs, signal }, joinJob, {
    parts: sources,
    bytesMax,
    titleIfNone,
  });
}

/** What is about all comes last. */
const byDocument = (a: MergeWarning, b: MergeWarning): number =>
  (a.document ?? Number.POSITIVE_INFINITY) - (b.document ?? Number.POSITIVE_INFINITY) || 0;
