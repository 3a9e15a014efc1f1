import type { BlobRef } from '@scriptorium/contracts/define-job';
import { AppError } from '@scriptorium/contracts/errors';
import { convertJob } from '@scriptorium/contracts/jobs/convert';
import { joinJob } from '@scriptorium/contracts/jobs/merge';
import { invalid } from '@scriptorium/shared/http/validation';
import type { ChainResult } from '@scriptorium/shared/queue/client';
import type { Stage } from '../documents/answer.ts';
import { lossHeaders, titleOf } from '../documents/conversion.ts';
import type { PartRunner } from '../documents/part-runner.ts';
import type { ConversionForm, FormDocument } from '../requests/gotenberg-form.ts';

const TITLE = 'Merged documents';
/** Conversions of one request that are in work at a time. */
const RUNS_AT_A_TIME_MAX = 4;

/** A document that is in the store, and what its PDF gets. */
interface StoredDocument extends Omit<FormDocument, 'bytes'> {
  source: BlobRef;
  finishing: BlobRef | undefined;
}

/** A form whose documents are in the store. */
export interface StoredForm extends Omit<ConversionForm, 'documents' | 'finishing'> {
  documents: StoredDocument[];
  blobs: BlobRef[];
  stored: Promise<void>;
}

/** The PDFs of a form: one of each document, or one of all. */
export interface ConvertedForm {
  pdfs: BlobRef[];
  headers: Record<string, string | number>;
  stages: Stage[];
}

/** What conversions of a form need. */
interface Making {
  bytesMax: number;
  runner: PartRunner;
  /** Seals the passwords for a part. */
  passwordBox(part: string): string | undefined;
}

/** Converts the documents, a few at a time. Rejects with the first failure; then nothing of the request is left in the store. */
export async function makeAll(
  { documents, blobs, merge, inForm }: StoredForm,
  { bytesMax, runner, passwordBox }: Making,
): Promise<ConvertedForm> {
  const stop = new AbortController();
  const made: ChainResult[] = [];
  const pdfs = documents.map(({ source }) => source);
  const queue = documents.entries();
  const work = async (): Promise<void> => {
    for (const [at, { name, conversion: options, source, finishing }] of queue) {
      if (options === undefined) continue;
      const part = { name: String(at), blobs: [source, finishing ?? []].flat(), signal: stop.signal };
      const input = {
        ...{ source, options, finishing, title: titleOf(name) },
        passwordBox: passwordBox(part.name),
      };
      const result = await runner
        .runPart(part, convertJob, input)
        .catch(nameFields(inForm))
        .catch(documents.length > 1 ? nameDocument(name) : rethrow);
      made.push(result);
      pdfs[at] = result.outputOf(convertJob).result;
    }
  };
  try {
    await Promise.all(Array.from({ length: RUNS_AT_A_TIME_MAX }, work));
    const reports = made.map((result) => result.outputOf(convertJob).report);
    const headers = reports.length > 0 ? (lossHeaders(...reports) ?? {}) : {};
    const stages = stagesOf(made);
    if (!merge || (pdfs.length === 1 && made.length === 1)) return { pdfs, headers, stages };
    const sources = pdfs.map((source, at) => ({
      ...{ source, document: at },
      isMade: documents[at]?.conversion !== undefined,
    }));
    const input = { parts: sources, bytesMax, titleIfNone: TITLE };
    const joined = await runner.runPart({ name: 'join', blobs: pdfs, signal: stop.signal }, joinJob, input);
    const { result, warnings, runMs } = joined.outputOf(joinJob);
    const codes = [...new Set(warnings.map(({ code }) => code))].join(', ');
    return {
      pdfs: [result],
      headers: { ...headers, ...(codes !== '' && { 'X-Merge-Warnings': codes }) },
      stages: [...stages, ['join', runMs]],
    };
  } catch (error) {
    stop.abort();
    void runner.removeBlobs([...blobs, ...pdfs]).catch(() => undefined);
    throw error;
  }
}

function stagesOf(made: readonly ChainResult[]): Stage[] {
  const sum = (stage: 'gateMs' | 'engineMs'): number =>
    made.reduce((all, result) => all + result.outputOf(convertJob).report.timings[stage], 0);
  return [
    ['queue', Math.max(0, ...made.map(({ queueMs }) => queueMs))],
    ['sanitize', sum('gateMs')],
    ['convert', sum('engineMs')],
  ];
}

const rethrow = (error: unknown): never => {
  throw error;
};

/** The converter has other names for the fields of a form. */
function nameFields(inForm: StoredForm['inForm']): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR' || error.details === undefined)
      throw error;
    throw invalid(error.details.map(inForm));
  };
}

/** The converter does not know which of several documents it has. */
function nameDocument(name: string): (error: unknown) => never {
  return (error) => {
    // The message of a failure of ours goes to the log, where no name of a file belongs.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const { code, message, details, retryAfterSeconds, cause } = error;
    throw new AppError(code, `${name}: ${message}`, {
      ...(details && { details }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      cause,
    });
  };
}
