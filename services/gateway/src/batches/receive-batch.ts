import { AppError } from '@scriptorium/shared/errors';
import { invalid, validate } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import type { Middleware, Reply } from '../context.ts';
import type { ByteBudget } from '../middleware/byte-budget.ts';
import { BODY_BOUNDS } from '../middleware/json-bounds.ts';
import { parseJson, refuseEncodings } from '../middleware/receive-json.ts';
import { type BatchHead, batchHead, batchRequest } from '../requests/batch-request.ts';
import { readLines } from './read-lines.ts';
import type { ReceivedRow } from './row.ts';
import { FLOW_BYTES } from './run-batch.ts';

const NDJSON = 'application/x-ndjson';
/** Time for the first line. */
const HEAD_MS_MAX = 60_000;
/** Time after the end of an answer that precedes the end of the body. */
const LINGER_MS = 60_000;

/** A batch whose head has been read. */
export interface ReceivedBatch {
  head: BatchHead;
  rows: AsyncIterator<ReceivedRow>;
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
  budget.hold(response, FLOW_BYTES);
  if (request.headers.expect !== undefined) response.writeContinue();
  const lines = readLines(request, lineBytesMax);
  return { head: await readHead(lines, lineBytesMax), rows: lines };
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
