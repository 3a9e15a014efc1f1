import { AppError } from '@scriptorium/shared/errors';
import type { Middleware } from '../context.ts';

/** Reads the body with `json` or `file`, depending on its content type. */
export function receiveEither(json: Middleware, file: Middleware): Middleware {
  return (request, response, next) => {
    const contentType = request.is(['application/json', 'multipart/form-data']);
    if (!contentType)
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        'Send application/json, or multipart/form-data with one file part named "file".',
      );
    return (contentType === 'application/json' ? json : file)(request, response, next);
  };
}
