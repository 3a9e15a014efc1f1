import { isUtf8 } from 'node:buffer';
import { AppError } from '@scriptorium/contracts/errors';
import { release } from '@scriptorium/sealing/idle-memory';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import type { Middleware, Reply } from '../http/context.ts';
import { BodyBytes, watchPace } from './arriving-body.ts';
import type { ByteBudget } from './byte-budget.ts';
import { type JsonBounds, JsonScan } from './json-bounds.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** Reads a JSON body into `request.body`. It does not accept compressed bodies. A defect causes a 4xx. */
export function receiveJson(bytesMax: number, budget: ByteBudget, bounds: JsonBounds): Middleware {
  return async (request, response, next) => {
    refuseOtherTypes(request);
    if (Number(request.headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
    const body = await readBody(request, response, { bytesMax, budget, bounds });
    request.body = parseScanned(body.take(), 'body');
    next();
  };
}

/** Reads any body into `request.body`, as bytes. */
export function receiveBytes(bytesMax: number, budget: ByteBudget): Middleware {
  return async (request, response, next) => {
    if (Number(request.headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
    request.body = (await readBody(request, response, { bytesMax, budget })).take();
    next();
  };
}

function refuseOtherTypes(request: Request): void {
  if (!request.is('application/json'))
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send a JSON body with Content-Type: application/json.');
  refuseEncodings(request);
}

/** Throws UNSUPPORTED_MEDIA_TYPE for a body that is not plain UTF-8. */
export function refuseEncodings(request: Request): void {
  const [, charset = 'utf-8'] = CHARSET.exec(request.headers['content-type'] ?? '') ?? [];
  const coding = request.headers['content-encoding'] ?? 'identity';
  if (charset.toLowerCase() !== 'utf-8' || coding.toLowerCase() !== 'identity')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send UTF-8 JSON without a Content-Encoding.');
}

interface Reading {
  bytesMax: number;
  budget: ByteBudget;
  /** Only for JSON. */
  bounds?: JsonBounds;
}

/**
 * Uses events, since leaving an iteration early would destroy the connection before the error is sent. The listeners refer to
 * the promise until the answer, so its value must be emptied.
 */
function readBody(
  request: Request,
  response: Reply,
  { bytesMax, budget, bounds }: Reading,
): Promise<BodyBytes> {
  return new Promise((resolve, reject) => {
    const body = new BodyBytes();
    const take = (piece: Buffer): void => body.append(piece);
    const scan = bounds && new JsonScan(bounds, take);
    let received = 0;
    let isRefused = false;
    const refuse = (error: Error): void => {
      isRefused = true;
      // The rest is read and discarded until its end or the timeout.
      body.drop();
      holding.settle(0);
      pace.stop();
      reject(error);
    };
    const holding = budget.open(response, declaredBytes(request) ?? bytesMax, refuse);
    if (request.headers.expect !== undefined) response.writeContinue();
    const pace = watchPace(() => true, refuse);
    request.on('data', (chunk: Buffer) => {
      if (isRefused) return;
      pace.came(chunk.length);
      received += chunk.length;
      if (received > bytesMax) return refuse(tooLarge(bytesMax));
      const before = body.length;
      const issue = scan === undefined ? take(chunk) : scan.push(chunk);
      if (issue) refuse(invalid([{ field: 'body', issue }]));
      else holding.add(body.length - before);
    });
    request.once('end', () => {
      if (isRefused) return;
      pace.stop();
      holding.settle(body.length);
      resolve(body);
    });
    request.once('error', refuse);
    response.locals.signal.addEventListener('abort', () =>
      refuse(new AppError('DEADLINE_EXCEEDED', 'The caller disconnected.')),
    );
  });
}

/** Returns the length of the body, if the caller declared it. */
export function declaredBytes({ headers }: Request): number | undefined {
  const declared = Number(headers['content-length']);
  return Number.isFinite(declared) ? declared : undefined;
}

/** Parses a JSON text. Throws VALIDATION_ERROR with this field if it is not JSON or exceeds the bounds. */
export function parseJson(bytes: Buffer, bounds: JsonBounds, field: string): unknown {
  const text = new BodyBytes();
  const issue = new JsonScan(bounds, (piece) => text.append(piece)).push(bytes);
  if (issue !== null) throw invalid([{ field, issue }]);
  return parseScanned(text.take(), field);
}

function parseScanned(bytes: Buffer, field: string): unknown {
  const malformed = (issue: string): AppError => invalid([{ field, issue }]);
  if (!isUtf8(bytes)) throw malformed('is not valid UTF-8');
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // Without the cause: the text of the parser quotes the body.
    throw malformed('is not valid JSON');
  } finally {
    release(bytes);
  }
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The body exceeds the limit of ${bytesMax} bytes.`);
}
