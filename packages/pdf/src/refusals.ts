import { PdfError } from './pdf-error.ts';

/** The file breaks the syntax of PDF where it has to be read. `what` is public. */
export function malformed(what: string): PdfError {
  return new PdfError('INVALID_FILE_FORMAT', `The PDF cannot be read: ${what}.`);
}

/** A bound of `bounds.ts` was passed. */
export function tooComplex(what: string): PdfError {
  return new PdfError('DOCUMENT_TOO_COMPLEX', `The PDF has ${what}.`);
}

/** What is read; undefined where the file breaks the syntax of PDF there. */
export function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PdfError && error.code === 'INVALID_FILE_FORMAT') return undefined;
    throw error;
  }
}
