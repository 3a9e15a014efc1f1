import { AppError } from '@scriptorium/shared/errors';
import type { Middleware } from '../context.ts';

/** Reads a body of JSON, or the one file of a form, as its content type says: each by what reads that kind. */
export function receiveEither(json: Middleware, file: Middleware): Middleware {
  return (request, response, next) => {
    const kind = request.is(['application/json', 'multipart/form-data']);
    if (!kind)
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        'Send application/json, or multipart/form-data with one file part named "file".',
      );
    return (kind === 'application/json' ? json : file)(request, response, next);
  };
}
