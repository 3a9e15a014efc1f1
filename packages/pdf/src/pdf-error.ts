export type PdfErrorCode = 'INVALID_FILE_FORMAT' | 'DOCUMENT_ENCRYPTED' | 'DOCUMENT_TOO_COMPLEX';

/** Why a PDF is not read. `message` is public; `cause` may quote the document. */
export class PdfError extends Error {
  readonly code: PdfErrorCode;

  constructor(code: PdfErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PdfError';
    this.code = code;
  }
}

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
