import { AppError } from '@scriptorium/shared/errors';
import express from 'express';
import type { Middleware } from '../context.ts';

/** Reads a JSON body, never inflating one; what is wrong with it is a 4xx. */
export function receiveJson(bytesMax: number): Middleware {
  const parse = express.json({ limit: bytesMax, inflate: false, strict: true, type: 'application/json' });
  return async (request, response, next) => {
    if (!request.is('application/json'))
      throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send a JSON body with Content-Type: application/json.');
    if (request.headers.expect !== undefined) response.writeContinue();
    await new Promise<void>((resolve, reject) => {
      parse(request, response, (error?: unknown) => (error ? reject(explain(error, bytesMax)) : resolve()));
    });
    next();
  };
}

function explain(error: unknown, bytesMax: number): AppError {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large')
    return new AppError('PAYLOAD_TOO_LARGE', `The body may have at most ${bytesMax} bytes.`);
  if (status === 415)
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send UTF-8 JSON without a Content-Encoding.', {
      cause: error,
    });
  return new AppError('VALIDATION_ERROR', 'The body is not valid JSON.', {
    // Without its cause: the parser's own text quotes the body.
    details: [{ field: 'body', issue: 'is not valid JSON' }],
  });
}
