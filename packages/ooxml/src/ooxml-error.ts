export type OoxmlErrorCode = 'INVALID_FILE_FORMAT' | 'DOCUMENT_ENCRYPTED' | 'DOCUMENT_TOO_COMPLEX';

/** The package or a part cannot be read. `message` is public; `cause` may quote the document. */
export class OoxmlError extends Error {
  readonly code: OoxmlErrorCode;

  constructor(code: OoxmlErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OoxmlError';
    this.code = code;
  }
}
