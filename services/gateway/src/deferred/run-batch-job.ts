import type { IncomingMessage } from 'node:http';
import type { BlobRef } from '@scriptorium/contracts/define-job';
import { AppError } from '@scriptorium/contracts/errors';
import { TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import { Connections } from '@scriptorium/fetching/connections';
import { sealBlob } from '@scriptorium/sealing/blob';
import type { BlobStore } from '@scriptorium/shared/blob/store';
import type { BatchJob } from '../batches/batch-job.ts';
import type { BatchEnd } from '../batches/outcomes.ts';
import { BatchProgress } from './batch-progress.ts';
import { FetchedRows } from './fetched-rows.ts';
import type { Parts } from './fields.ts';
import type { Failure, RowFailure } from './job.ts';
import type { JobParts } from './job-secrets.ts';
import type { StoredJob } from './job-table.ts';
import { BATCH_MS_MAX, DELIVERY_MS_MAX, type Happening } from './next.ts';
import { outcomeOf, type Run } from './replay.ts';
import { RowDeliveries } from './row-deliveries.ts';
import type { Keep, StepParts, Stepped } from './step-parts.ts';
import { uploadParts } from './upload-parts.ts';

const SAVE_MS = 1_000;
/** The body outlives the batch, which may wait for its next turn. It is removed at the end. */
const BODY_MS = BATCH_MS_MAX;
/** Reasons for an early end that say nothing about the batch. */
const PASSING = new Set(['UNAVAILABLE', 'OVERLOADED', 'DEADLINE_EXCEEDED', 'REQUEST_TIMEOUT']);

/** The JSON of a batch that is answered later: it was checked when it was accepted. */
interface Body {
  deliver?: { parts: Parts };
  rows: unknown[] | { url: string };
  options?: { onError?: string };
}

/** What came of the answer. */
type Came = { uploaded?: Awaited<ReturnType<typeof uploadParts>> } | { failure: Failure; afterMs?: number };

/**
 * Runs a batch: each document goes to its own address, or the answer goes to those of its parts. A batch of the first kind goes on
 * where it was. Rejects with the reason of the signal.
 */
export async function runBatchJob(
  job: StoredJob & { parts: JobParts },
  run: Run,
  parts: StepParts,
  stopped: AbortSignal,
  keep: Keep,
): Promise<Stepped> {
  const { deliver, rowsUrl, ...about } = aboutBatch(run);
  const [failed] = deliver === undefined && about.stopsAtError ? (job.progress?.failures ?? []) : [];
  if (failed !== undefined) return { happening: endedAt(failed) };
  const position = deliver === undefined ? job.parts.position : undefined;
  const progress = new BatchProgress(deliver === undefined ? job.progress : null, position);
  const over = new AbortController();
  const late = AbortSignal.timeout(Math.max(0, job.createdAt + BATCH_MS_MAX - Date.now()));
  const signal = AbortSignal.any([stopped, late, over.signal]);
  const rows =
    rowsUrl !== undefined
      ? new FetchedRows(parts.reader, rowsUrl, position ?? { at: 0, version: '' }, signal)
      : undefined;
  const pieces = rows?.bytes();
  const connections = new Connections();
  const patience = { signal, connections, tried: parts.events.rowSent };
  const deliveries =
    deliver === undefined ? new RowDeliveries({ ...parts, ...patience, ...about, progress }) : undefined;
  let end: BatchEnd | undefined;
  let { input } = job.parts;
  const batch: BatchJob = {
    start: progress.position,
    rows: pieces,
    output: deliveries,
    read: (index, ending) => progress.read(index, (position?.at ?? 0) + ending),
    written: (outcome) => {
      if (deliveries !== undefined) return;
      if ('error' in outcome) progress.failed(outcome.row, outcome.error);
      else progress.done(outcome.row.index);
    },
    ended: (reached) => {
      end = reached;
    },
  };
  const take = async (answer: IncomingMessage): Promise<Came> => {
    if (answer.statusCode === 200 && deliver !== undefined)
      return { uploaded: await uploadParts(answer, deliver.parts, parts.sender, patience) };
    const outcome = await outcomeOf(answer);
    return 'failure' in outcome ? { failure: outcome.failure, afterMs: outcome.retryAfterMs } : {};
  };
  const saving = saveRegularly(() =>
    progress.write(async (now, place) => {
      input = await renewed(input, run.body, parts.blobs).catch(() => input);
      const here = { ...place, version: rows?.version ?? '' };
      const changes = { parts: { ...job.parts, input, position: here }, held: job.held };
      await keep({ kind: 'progressed', progress: now, isKept: deliver === undefined }, changes);
    }),
  );
  parts.batches.set(job.id, batch);
  const asked = { ...run, stallMsMax: 2 * DELIVERY_MS_MAX };
  const goOn = async (): Promise<Came> => {
    // A server without ranges sends everything before the place again. No row is late meanwhile.
    if (pieces !== undefined && position !== undefined)
      batch.rows = startingWith(await pieces.next(), pieces);
    return parts.replay.run(asked, signal, take);
  };
  try {
    const came = await goOn().catch((error: unknown): Came => {
      stopped.throwIfAborted();
      if (late.aborted) return { failure: TOO_LATE };
      if (!(error instanceof AppError)) throw error;
      return { failure: failureOf(error) };
    });
    await saving.end();
    return { happening: happeningOf(came, end, progress, { rows, isKept: deliveries !== undefined }) };
  } finally {
    over.abort();
    void connections.close();
    parts.batches.delete(job.id);
    await saving.end().catch(() => undefined);
  }
}

function aboutBatch({ body, path }: Run) {
  const { deliver, rows, options } = JSON.parse(body.toString()) as Body;
  const to = new URL(path, 'http://localhost').searchParams.get('to') === 'pdf' ? 'pdf' : 'docx';
  return {
    deliver,
    rowsUrl: 'url' in rows ? rows.url : undefined,
    contentType: TARGET_CONTENT_TYPES[to],
    stopsAtError: options?.onError === 'stop',
  };
}

/** For a batch whose runner died before it wrote that a failed row has ended it. */
function endedAt({ index, error }: RowFailure): Happening {
  const message = `Row ${index} failed: ${error.message}`;
  return { kind: 'refused', error: { ...error, message }, isFinal: true };
}

async function* startingWith(
  first: IteratorResult<Buffer, undefined>,
  rest: AsyncGenerator<Buffer, undefined>,
): AsyncGenerator<Buffer, undefined> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** Keeps the body in the store, and puts it there again if the store has lost it. */
async function renewed(input: BlobRef, body: Buffer, blobs: BlobStore): Promise<BlobRef> {
  if (await blobs.renew(input.key, BODY_MS)) return input;
  const { box, seal } = sealBlob(body);
  await blobs.put(input.key, box, BODY_MS);
  return { ...input, seal };
}

/** Saves each second. `end` saves once more. A database that is away stops no batch. */
function saveRegularly(save: () => Promise<void>): { end(): Promise<void> } {
  let saving = Promise.resolve();
  const timer = setInterval(() => {
    saving = saving.then(save).catch(() => undefined);
  }, SAVE_MS);
  return {
    async end() {
      clearInterval(timer);
      await saving;
      await save();
    },
  };
}

function happeningOf(
  came: Came,
  end: BatchEnd | undefined,
  progress: BatchProgress,
  { rows, isKept }: { rows: FetchedRows | undefined; isKept: boolean },
): Happening {
  const mayPass = rows?.mayPass ?? false;
  if ('failure' in came) {
    const { failure: error, afterMs = 0 } = came;
    return { kind: 'refused', error, afterMs, isPassing: mayPass };
  }
  if (end === undefined) throw new Error('the batch has an answer, and no end');
  if ('error' in end) {
    const error = failureOf(end.error);
    // A row that has failed has its outcome: another run would go on behind it.
    const isFinal = isKept && end.failedIndex !== undefined;
    return { kind: 'refused', error, isPassing: mayPass || PASSING.has(error.code), isFinal };
  }
  return { kind: 'rows ended', progress: progress.now(), ...came };
}

function failureOf({ code, message, details }: Failure | AppError): Failure {
  return { code, message, ...(details !== undefined && { details: [...details] }) };
}

const TOO_LATE: Failure = { code: 'DEADLINE_EXCEEDED', message: 'The batch did not end within 24 hours.' };
