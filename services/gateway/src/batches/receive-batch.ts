import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@scriptorium/contracts/errors';
import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import type { Middleware, Reply } from '../http/context.ts';
import { type ByteBudget, STEP_BYTES } from '../middleware/byte-budget.ts';
import { BODY_BOUNDS } from '../middleware/json-bounds.ts';
import { parseJson, refuseEncodings } from '../middleware/receive-json.ts';
import { addressedBatch, type BatchHead, batchHead, batchRequest } from '../requests/batch-request.ts';
import type { BatchJob } from './batch-job.ts';
import { readLines } from './read-lines.ts';
import type { ReceivedRow } from './row.ts';

const NDJSON = 'application/x-ndjson';
/** Time for the first line. */
const HEAD_MS_MAX = 60_000;
/** Time after the end of an answer that precedes the end of the body. */
const LINGER_MS = 60_000;
/** Time for which a batch waits for room in the byte budget. */
const ROOM_MS_MAX = 10_000;
const ROOM_POLL_MS = 50;

/** A batch whose head has been read. */
export interface ReceivedBatch {
  head: BatchHead;
  rows: AsyncIterator<ReceivedRow>;
  /** Charges the bytes of the rows in work. Absent if the whole body is charged. */
  chargeRows?: (bytes: number) => void;
}

/** Reads a JSON body with `receiveJson`. A stream of lines is left to `receiveBatch`. */
export function receiveListed(receiveJson: Middleware): Middleware {
  return (request, response, next) => {
    const type = request.is(['application/json', NDJSON]);
    if (!type) throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Send application/json or ${NDJSON}.`);
    if (type === 'application/json') return receiveJson(request, response, next);
    refuseEncodings(request);
    next();
  };
}

/** Returns the head of a batch and its rows, which are read as they are asked for. Throws VALIDATION_ERROR for the head. */
export async function receiveBatch(
  request: Request,
  response: Reply,
  { budget, lineBytesMax }: { budget: ByteBudget; lineBytesMax: number },
): Promise<ReceivedBatch> {
  response.locals.liftTimeLimits();
  endLate(request, response);
  if (!request.is(NDJSON)) {
    const { rows, ...head } = validate(batchRequest, request.body);
    request.body = undefined;
    return { head, rows: listed(rows) };
  }
  const charge = chargeFlow(response, budget);
  if (request.headers.expect !== undefined) response.writeContinue();
  // To destroy the request would destroy the connection before the answer is sent.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, undefined>;
  const lines = readLines(chunks, lineBytesMax, charge.lines);
  return { head: await readHead(lines, lineBytesMax), rows: lines, chargeRows: charge.rows };
}

/** The same for a batch that is answered later. Leaves out the rows that are done. */
export function receiveDeferred(
  request: Request,
  response: Reply,
  { budget, lineBytesMax, job }: { budget: ByteBudget; lineBytesMax: number; job: BatchJob },
): ReceivedBatch {
  response.locals.liftTimeLimits();
  const { deliver: _deliver, ...body } = request.body;
  request.body = undefined;
  if (job.rows === undefined) {
    const { rows, ...head } = validate(batchRequest, body);
    return { head, rows: undone(listed(rows.slice(job.start.nextIndex)), job) };
  }
  const { rows: _, ...head } = validate(addressedBatch, body);
  const charge = chargeFlow(response, budget);
  return {
    head,
    rows: undone(readLines(job.rows, lineBytesMax, charge.lines), job),
    chargeRows: charge.rows,
  };
}

async function* undone(
  rows: AsyncGenerator<ReceivedRow>,
  { start, read }: BatchJob,
): AsyncGenerator<ReceivedRow> {
  let index = start.nextIndex;
  const done = new Set(start.answered);
  for await (const row of rows) {
    read(index, 'end' in row ? row.end : 0);
    if (!done.delete(index)) yield { ...row, index };
    index += 1;
  }
}

/**
 * Charges what a batch holds: its unfinished line, and the rows in work. While the budget is exceeded, no more is read. A
 * batch that would have to wait too long for room is refused with OVERLOADED, which frees room for the others.
 */
function chargeFlow(response: Reply, budget: ByteBudget) {
  const holding = budget.open(response, STEP_BYTES, () => undefined);
  const held = { line: 0, rows: 0 };
  const settle = (): void => holding.settle(Math.max(STEP_BYTES, held.line + held.rows));
  settle();
  return {
    async lines(bytes: number): Promise<void> {
      held.line = bytes;
      settle();
      for (let waited = 0; holding.isOver(); waited += ROOM_POLL_MS) {
        if (waited >= ROOM_MS_MAX) {
          holding.settle(0);
          throw new AppError('OVERLOADED', 'The gateway has reached its memory limit for documents.');
        }
        await delay(ROOM_POLL_MS, undefined, { signal: response.locals.signal });
      }
    },
    rows(bytes: number): void {
      held.rows = bytes;
      settle();
    },
  };
}

/** Closes the connection of a caller who goes on sending after the end of the answer, once there was time to read it. */
function endLate(request: Request, response: Reply): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
    request.once('close', () => clearTimeout(timer));
  });
}

async function* listed(rows: unknown[]): AsyncGenerator<ReceivedRow> {
  for (const value of rows.splice(0)) yield { value };
}

async function readHead(lines: ReturnType<typeof readLines>, lineBytesMax: number): Promise<BatchHead> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new AppError('REQUEST_TIMEOUT', 'The first line did not arrive in time.')),
    HEAD_MS_MAX,
  );
  try {
    const next = lines.next();
    next.catch(() => undefined);
    const first = await Promise.race([next, late.promise]);
    if (first.done)
      throw invalid([{ field: 'body', issue: 'is empty: the first line must be the head of the batch' }]);
    if ('isTooLong' in first.value)
      throw new AppError('PAYLOAD_TOO_LARGE', `The line exceeds the limit of ${lineBytesMax} bytes.`);
    return validate(batchHead, parseJson(first.value.bytes, BODY_BOUNDS, 'body'));
  } finally {
    clearTimeout(timer);
  }
}
