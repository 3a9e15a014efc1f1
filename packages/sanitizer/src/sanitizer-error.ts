export type SanitizerErrorCode =
  | 'INVALID_FILE_FORMAT'
  | 'DOCUMENT_ENCRYPTED'
  | 'DOCUMENT_TOO_COMPLEX'
  | 'PASSWORD_REQUIRED'
  | 'PASSWORD_WRONG';

/** The reason why a document is rejected. `message` is public; `cause` may quote the document. */
export class SanitizerError extends Error {
  readonly code: SanitizerErrorCode;

  constructor(code: SanitizerErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SanitizerError';
    this.code = code;
  }
}
