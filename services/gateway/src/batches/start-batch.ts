import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@scriptorium/contracts/errors';
import { type Conversion, pdfOptions } from '@scriptorium/contracts/jobs/convert';
import { convertRowsJob, fillRowsJob } from '@scriptorium/contracts/jobs/rows';
import { toAppError } from '@scriptorium/shared/to-app-error';
import { beginsAsPdf } from '../documents/bytes-or-json.ts';
import { loadBatchInputs, refuseForForm } from '../documents/load-generate.ts';
import { ownerOf, type Reply } from '../http/context.ts';
import { shareOf } from '../limits/owner-share.ts';
import type { BatchHead } from '../requests/batch-request.ts';
import type { BatchJob } from './batch-job.ts';
import type { BatchParts } from './batch-parts.ts';
import { onceFetcher } from './once-fetcher.ts';
import type { BatchOutput } from './outcomes.ts';
import { type PackClient, packClient } from './pack-client.ts';
import type { ReceivedBatch } from './receive-batch.ts';
import { hasFields, type ReceivedRow, type Row, readRow, withoutBatchOptions } from './row.ts';
import { type BatchOptions, LINE_MS_MAX, runBatch } from './run-batch.ts';
import { openStandingBlobs, type StandingBlobs } from './standing-blobs.ts';

const PACKS_MIN = 2;
/** One pack is filled and one is written while the engines work on others. */
const PACKS_BESIDE_ENGINES = 2;
const PLACE_RENEWAL_MS = 10_000;
const FETCH_MS_MAX = 60_000;
/** Rows of one batch, and of one that is answered later. */
export const ROWS_MAX = 100_000;
export const JOB_ROWS_MAX = 1_000_000;

/** A batch whose template is known to be right. */
export interface StartedBatch {
  run(output: BatchOutput, options: BatchOptions): Promise<void>;
  close(): Promise<void>;
}

/** Loads what all rows need and checks the template. Throws the errors of the head. */
export async function startBatch(
  { head, rows, chargeRows = () => undefined }: ReceivedBatch,
  to: 'docx' | 'pdf',
  response: Reply,
  parts: BatchParts,
): Promise<StartedBatch> {
  const { documents } = parts;
  const { requestId, signal } = response.locals;
  const { source, ...signing } = await loadBatchInputs(head, { ...documents, response });
  const isForm = beginsAsPdf(source);
  const filling = withoutBatchOptions(head);
  // Its rows may have data or fields.
  if (isForm) refuseForForm({ data: {}, convert: head.convert, options: filling }, to);
  const isConverted = to === 'pdf' && !isForm;
  const standing = await openStandingBlobs(documents.blobs, requestId, { template: source, ...signing });
  const place = keepPlace(response);
  const job = parts.jobOf(response);
  const close = async (): Promise<void> => {
    clearInterval(place);
    await standing.close().catch(() => undefined);
  };
  const packs = packClient(
    documents,
    {
      batchId: requestId,
      template: source,
      options: filling,
      convert: isConverted ? conversionOf(head) : undefined,
      isForm,
      isSigned: head.sign !== undefined,
      signal,
      share: shareOf(response),
    },
    standing,
  );
  try {
    const checked = await checkTemplate(packs, rows, parts.lineBytesMax);
    return {
      run: (output, options) =>
        run({
          head,
          rows: checked,
          isConverted,
          packs,
          standing,
          output,
          options,
          response,
          parts,
          job,
          chargeRows,
        }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the rows. Wrong marks do not matter to a batch that begins with fields, since fields do not use marks. */
async function checkTemplate(
  packs: PackClient,
  rows: ReceivedBatch['rows'],
  lineBytesMax: number,
): Promise<ReceivedBatch['rows']> {
  try {
    await packs.checkTemplate();
    return rows;
  } catch (error) {
    if (toAppError(error).code !== 'TEMPLATE_INVALID') throw error;
    const first = await firstOf(rows);
    if (first === undefined || !hasFields(first, lineBytesMax)) throw error;
    return startingWith(first, rows);
  }
}

/** The first row. Undefined if there is none, or if it is late. */
async function firstOf(rows: ReceivedBatch['rows']): Promise<ReceivedRow | undefined> {
  const next = rows.next();
  next.catch(() => undefined);
  const timer = new AbortController();
  const late = delay(LINE_MS_MAX, undefined, { signal: timer.signal }).catch(() => undefined);
  const first = await Promise.race([next, late]);
  timer.abort();
  return first?.done === false ? first.value : undefined;
}

async function* startingWith(
  first: ReceivedRow,
  rows: ReceivedBatch['rows'],
): AsyncGenerator<ReceivedRow, undefined> {
  yield first;
  for (;;) {
    const next = await rows.next();
    if (next.done) return;
    yield next.value;
  }
}

function conversionOf({ convert }: BatchHead): Conversion {
  return { from: 'docx', to: 'pdf', ...(convert ?? pdfOptions.parse({})) };
}

function keepPlace({ locals }: Reply): NodeJS.Timeout {
  return setInterval(() => void locals.renewPlace?.().catch(() => undefined), PLACE_RENEWAL_MS);
}

interface Running {
  head: BatchHead;
  rows: ReceivedBatch['rows'];
  isConverted: boolean;
  packs: PackClient;
  standing: StandingBlobs;
  output: BatchOutput;
  options: BatchOptions;
  response: Reply;
  parts: BatchParts;
  job: BatchJob | undefined;
  chargeRows(bytes: number): void;
}

async function run({
  head,
  rows,
  isConverted,
  packs,
  standing,
  output,
  options,
  response,
  parts,
  job,
  chargeRows,
}: Running): Promise<void> {
  const { locals } = response;
  const { signal, requestId, countedAs } = locals;
  const { documents, closing, events, lineBytesMax } = parts;
  const owner = ownerOf(response);
  const packsMax = owner.rights.limits.requestsInFlight ?? parts.packsMax;
  const { limits, fetcherOf } = documents.loading;
  const documentsBytesMax = limits.imagesBytesMax;
  const files = { ...limits, documentsBytesMax, fetcher: onceFetcher(fetcherOf(response), signal) };
  const capacity = await watchCapacity(parts, isConverted);
  const counts = { rows: 0, done: 0, failed: 0 };
  const unanswered: string[] = [];
  try {
    const end = await runBatch({
      options,
      rows,
      rowsMax: job === undefined ? ROWS_MAX : JOB_ROWS_MAX,
      start: job?.start,
      output,
      packs,
      isConverted,
      standing,
      signal,
      closing,
      packsMax: () => Math.max(PACKS_MIN, Math.min(capacity.now() + PACKS_BESIDE_ENGINES, packsMax)),
      readRow: (index, received) =>
        readRow(index, received, {
          ...{ head, files, lineBytesMax, signal },
          isDelivered: job?.output !== undefined,
          fetchMsMax: FETCH_MS_MAX,
        }),
      async takeRows(count) {
        for (;;) {
          const waitMs = await parts.takeRows(owner, count).catch(unlessForbidden);
          if (waitMs === 0) return;
          await delay(waitMs, undefined, { signal });
        }
      },
      onFailure: (error, count) => events.packFailed(error, count, locals),
      onBytes: chargeRows,
      onDifference: () => events.waysDiffer(locals),
      onWritten(outcome) {
        const result = 'error' in outcome ? 'failed' : 'done';
        counts.rows += 1;
        counts[result] += 1;
        events.rowAnswered(result);
        job?.written(outcome);
        if ('error' in outcome) return;
        const rowId = rowIdOf(outcome.row, requestId, countedAs);
        if (output.isWhole) unanswered.push(rowId);
        else parts.countRow(owner, rowId);
      },
    });
    for (const rowId of unanswered) parts.countRow(owner, rowId);
    job?.ended(end);
    events.batchEnded({ ...counts, ...('error' in end && { errorCode: end.error.code }) }, locals);
  } catch (error) {
    events.batchEnded(
      { ...counts, errorCode: signal.aborted ? 'DEADLINE_EXCEEDED' : toAppError(error).code },
      locals,
    );
    if (!signal.aborted) throw error;
  } finally {
    capacity.stop();
  }
}

/** What a row is counted as. In a batch that is repeated, another row at its place is another document. */
function rowIdOf({ index, filling }: Row, requestId: string, countedAs: string | undefined): string {
  if (countedAs === undefined || filling instanceof AppError) return `${requestId}.${index}`;
  const content = createHash('sha256')
    .update(filling.json)
    .update(filling.images ?? '');
  return `${countedAs}.${index}.${content.digest('base64url')}`;
}

/** A Redis that is away must not stop a batch. */
function unlessForbidden(error: unknown): number {
  if (error instanceof AppError && error.code === 'FORBIDDEN') throw error;
  return 0;
}

/** Watches how many packs the slowest workers of a batch can take at a time. */
async function watchCapacity({ documents: { clients } }: BatchParts, isConverted: boolean) {
  const { shedder } = isConverted ? clients.of(convertRowsJob) : clients.of(fillRowsJob);
  let known = 0;
  const look = async (): Promise<void> => {
    known = await shedder.census().then(
      ({ capacity }) => capacity,
      () => known,
    );
  };
  await look();
  const timer = setInterval(() => void look(), 2_000);
  return { now: () => known, stop: () => clearInterval(timer) };
}
