import { createHash } from 'node:crypto';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { AppError, type ErrorBody, errorBody } from '@scriptorium/contracts/errors';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import {
  convertRowsJob,
  type FinishedRows,
  fillRowsJob,
  finishedRows,
  openPack,
  type Place,
  type PlainReason,
  type RequestedRows,
  signRowsJob,
  type WAYS,
} from '@scriptorium/contracts/jobs/rows';
import { packParts } from '@scriptorium/contracts/pack';
import type { generation } from '@scriptorium/docx-generate/generation';
import type { RunOptions } from '@scriptorium/shared/queue/client';
import { toAppError } from '@scriptorium/shared/to-app-error';
import type { z } from 'zod';
import { putInputs, takeResult } from '../documents/blobs.ts';
import type { DocumentParts } from '../documents/parts.ts';
import { OVER_BUDGET_PRIORITY } from '../limits/owner-share.ts';
import type { Filling, Row } from './row.ts';
import type { StandingBlobs } from './standing-blobs.ts';

export type Way = (typeof WAYS)[number];

/** After the requests of all keys, which have priorities from 0 on. */
const PRIORITY = 1_000;
/** Time for one row, and for a pack: one that takes longer is sent row by row. */
export const ROW_MS_MAX = 60_000;

/** Bytes that a worker made: in memory, or still in the store. */
export type Made = Buffer | BlobRef;

/** A row with its document, or with its error. */
export type Outcome = { row: Row } & ({ error: RowError } | FinishedDocument);

export type RowError = Omit<ErrorBody, 'requestId'>;

type Failure = Extract<FinishedRows['rows'][number], { error: unknown }>;
type Finished = Extract<FinishedRows['rows'][number], { document: Place }>;

export interface FinishedDocument extends Pick<Finished, 'report' | 'conversion'> {
  document: Made;
  /** The JSON of a `signReply`. */
  reply: Buffer | undefined;
}

/** The answer of the workers to one pack. */
export interface PackAnswer {
  outcomes: Outcome[];
  /** Rows to send again for the plain way. */
  again: Row[];
  /** Why rows were made in the plain way, although the fast one was asked for. */
  plain: PlainReason[];
  compared: FinishedRows['compared'];
  checked?: readonly string[] | undefined;
  isRefused?: boolean | undefined;
  /** Time in the workers. */
  runMs: number;
}

/** What all packs of a batch have in common. */
export interface PackTask {
  batchId: string;
  template: Buffer;
  options: z.output<typeof generation>;
  convert: Conversion | undefined;
  isForm: boolean;
  isSigned: boolean;
  signal: AbortSignal;
  /** Who asks, for fair shares of the engines. */
  share: NonNullable<RunOptions['share']>;
}

/** Sends packs of rows through the workers. */
export interface PackClient {
  /** Makes the documents of these rows. Throws what befalls the whole pack. */
  run(rows: readonly Row[], way: Way, checked: readonly string[]): Promise<PackAnswer>;
  /** Throws what is wrong with the template, apart from its rows. */
  checkTemplate(): Promise<void>;
}

export function packClient(parts: DocumentParts, task: PackTask, standing: StandingBlobs): PackClient {
  const { clients, blobs, queueWaitMsMax } = parts;
  const { batchId, options, convert, isForm, isSigned, signal, share } = task;
  const later = [...(convert ? [convertRowsJob] : []), ...(isSigned ? [signRowsJob] : [])];
  const { template, signing, appearance } = standing.refs;
  const thenSign = signing && parts.forSigner(batchId, signing, appearance);
  if (template === undefined) throw new Error('the template is not in the store');
  const hash = createHash('sha256').update(task.template).digest('base64url');
  let sent = 0;

  const send = async (
    rows: readonly Row[],
    { way, checked }: { way: Way; checked: readonly string[] },
    jobs: readonly (typeof later)[number][],
  ) => {
    const requestId = `${batchId}.${++sent}`;
    const deadlineAt = Date.now() + ROW_MS_MAX;
    const { refs, stored } = await putInputs(blobs, { requestId, deadlineAt }, { rows: packOf(rows) });
    const steps = await clients.of(fillRowsJob).jobs.runThrough(
      {
        template: { hash, blob: template },
        rows: refs.rows,
        options,
        isForm,
        way,
        checked: [...checked],
        thenConvert: convert,
        thenSign,
      },
      {
        requestId,
        deadlineAt,
        signal,
        waitMsMax: Math.max(queueWaitMsMax, ROW_MS_MAX),
        share,
        priority: PRIORITY + (share.isOverBudget ? OVER_BUDGET_PRIORITY : 0),
        blobs: [refs.rows.key],
        stored,
      },
      jobs,
    );
    const { result } = steps.outputOf(jobs.at(-1) ?? fillRowsJob);
    return { runMs: steps.runMs, bytes: await takeResult(blobs, result) };
  };

  return {
    async checkTemplate() {
      await send([], { way: 'plain', checked: [] }, []);
    },
    async run(rows, way, checked) {
      const { runMs, bytes } = await send(rows, { way, checked }, later);
      const { list, part } = openPack(bytes, finishedRows);
      const { rows: _, ...facts } = list;
      const answer: PackAnswer = { outcomes: [], again: [], plain: [], compared: undefined, ...facts, runMs };
      if (list.rows.length !== rows.length)
        throw new Error(`a pack of ${rows.length} rows has ${list.rows.length} answers`);
      for (const [at, row] of rows.entries()) {
        const made = list.rows[at];
        const plain = made === undefined ? undefined : 'again' in made ? made.again : plainOf(made);
        if (plain !== undefined) answer.plain.push(plain);
        if (made === undefined || 'again' in made) answer.again.push(row);
        else if ('error' in made) answer.outcomes.push({ row, error: rowError(errorOf(made.error)) });
        else
          answer.outcomes.push({
            row,
            report: made.report,
            conversion: made.conversion,
            document: madeAt(made.document, part),
            reply: made.reply && (await bytesOf(madeAt(made.reply, part), blobs)),
          });
      }
      return answer;
    },
  };
}

const plainOf = (made: Failure | Finished): PlainReason | undefined =>
  'error' in made ? undefined : made.plain;

const errorOf = ({ code, message, details }: Failure['error']): AppError =>
  new AppError(code, message, details && { details });

function madeAt(place: Place, part: (number: number) => Buffer): Made {
  return 'part' in place ? part(place.part) : place.blob;
}

/** Takes the document of a row out of the store, if it is still there. One that is lost becomes an error of its row. */
export async function loadDocument(outcome: Outcome, blobs: DocumentParts['blobs']): Promise<Outcome> {
  if ('error' in outcome || Buffer.isBuffer(outcome.document)) return outcome;
  try {
    return { ...outcome, document: await takeResult(blobs, outcome.document) };
  } catch (error) {
    return { row: outcome.row, error: rowError(toAppError(error)) };
  }
}

async function bytesOf(made: Made, blobs: DocumentParts['blobs']): Promise<Buffer> {
  return Buffer.isBuffer(made) ? made : await takeResult(blobs, made);
}

/** The public form of an error of one row. */
export function rowError(error: AppError): RowError {
  const { requestId: _batch, ...body } = errorBody(error, '');
  return body;
}

function packOf(rows: readonly Row[]): Buffer {
  const parts: Buffer[] = [];
  const list: RequestedRows = rows.map(({ filling }) => {
    const { kind, json, images } = fillingOf(filling);
    const place = parts.push(json);
    const imagesAt = images === undefined ? {} : { images: parts.push(images) };
    return kind === 'data' ? { data: place, ...imagesAt } : { fields: place, ...imagesAt };
  });
  return packParts([Buffer.from(JSON.stringify(list)), ...parts]);
}

function fillingOf(filling: Filling | AppError): Filling {
  if (filling instanceof AppError) throw new Error('a row with an error was sent');
  return filling;
}
