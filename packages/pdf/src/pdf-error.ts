export type PdfErrorCode =
  | 'INVALID_FILE_FORMAT'
  | 'DOCUMENT_ENCRYPTED'
  | 'PASSWORD_REQUIRED'
  | 'PASSWORD_WRONG'
  | 'DOCUMENT_TOO_COMPLEX';

/** The reason why a PDF cannot be read. `message` is public; `cause` may quote the document. */
export class PdfError extends Error {
  readonly code: PdfErrorCode;

  constructor(code: PdfErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PdfError';
    this.code = code;
  }
}

/** The file violates PDF syntax where it must be read. `what` is public. */
export function malformed(what: string): PdfError {
  return new PdfError('INVALID_FILE_FORMAT', `The PDF cannot be read: ${what}.`);
}

/** A limit of `bounds.ts` was exceeded. */
export function tooComplex(what: string): PdfError {
  return new PdfError('DOCUMENT_TOO_COMPLEX', `The PDF has ${what}.`);
}

/** Returns the result of `read`, or undefined if the file violates PDF syntax there. */
export function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PdfError && error.code === 'INVALID_FILE_FORMAT') return undefined;
    throw error;
  }
}
