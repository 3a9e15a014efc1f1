import { isUtf8 } from 'node:buffer';
import { AppError } from '@scriptorium/shared/errors';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Request } from 'express';
import type { Middleware, Reply } from '../context.ts';
import type { ByteBudget } from './byte-budget.ts';
import { type JsonBounds, jsonIssue } from './json-bounds.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** Reads a JSON body into `request.body`. It does not accept compressed bodies. A defect causes a 4xx. */
export function receiveJson(bytesMax: number, budget: ByteBudget, bounds: JsonBounds): Middleware {
  return async (request, response, next) => {
    refuseOtherTypes(request);
    const declared = Number(request.headers['content-length']);
    if (declared > bytesMax) throw tooLarge(bytesMax);
    const keep = budget.hold(response, Number.isFinite(declared) ? declared : bytesMax);
    if (request.headers.expect !== undefined) response.writeContinue();
    const chunks = await readBody(request, response, bytesMax);
    // Empty the list: the listeners of the request keep it until the answer.
    const bytes = Buffer.concat(chunks.splice(0));
    keep(bytes.length);
    request.body = parseJson(bytes, bounds, 'body');
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

/** Uses events, since leaving an iteration early would destroy the connection before the error is sent. */
function readBody(request: Request, response: Reply, bytesMax: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else {
        // The rest is read and discarded until its end or the timeout.
        chunks.length = 0;
        reject(tooLarge(bytesMax));
      }
    });
    request.once('end', () => resolve(chunks));
    request.once('error', reject);
    response.locals.signal.addEventListener('abort', () =>
      reject(new AppError('DEADLINE_EXCEEDED', 'The caller disconnected.')),
    );
  });
}

/** Parses a JSON text. Throws VALIDATION_ERROR with this field if it is not JSON or exceeds the bounds. */
export function parseJson(bytes: Buffer, bounds: JsonBounds, field: string): unknown {
  const malformed = (issue: string): AppError => invalid([{ field, issue }]);
  if (!isUtf8(bytes)) throw malformed('is not valid UTF-8');
  const issue = jsonIssue(bytes, bounds);
  if (issue !== null) throw malformed(issue);
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // Without the cause: the text of the parser quotes the body.
    throw malformed('is not valid JSON');
  }
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The body exceeds the limit of ${bytesMax} bytes.`);
}
