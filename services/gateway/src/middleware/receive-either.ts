import { AppError } from '@scriptorium/contracts/errors';
import type { Middleware } from '../http/context.ts';

/** Reads the body with `json` or `form`, depending on its content type. `parts` describes the form. */
export function receiveEither(json: Middleware, form: Middleware, parts: string): Middleware {
  return (request, response, next) => {
    const contentType = request.is(['application/json', 'multipart/form-data']);
    if (!contentType)
      throw new AppError(
        'UNSUPPORTED_MEDIA_TYPE',
        `Send application/json, or multipart/form-data with ${parts} named "file".`,
      );
    return (contentType === 'application/json' ? json : form)(request, response, next);
  };
}
