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
