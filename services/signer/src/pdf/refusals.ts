import { AppError } from '@scriptorium/shared/errors';

/** The file breaks the syntax of PDF where it has to be read. `what` is public. */
export function malformed(what: string): AppError {
  return new AppError('INVALID_FILE_FORMAT', `The PDF cannot be read: ${what}.`);
}

/** A bound of `bounds.ts` was passed. */
export function tooComplex(what: string): AppError {
  return new AppError('DOCUMENT_TOO_COMPLEX', `The PDF has ${what}.`);
}
