export type SignatureErrorCode =
  | 'VALIDATION_ERROR'
  | 'INVALID_FILE_FORMAT'
  | 'DOCUMENT_TOO_COMPLEX'
  | 'DOCUMENT_LOCKED'
  | 'FIELD_ALREADY_SIGNED'
  | 'IMAGE_INVALID'
  | 'SIGNING_KEY_INVALID'
  | 'TIMESTAMP_UNAVAILABLE'
  | 'UNPROCESSABLE'
  | 'UNSUPPORTED_LEVEL';

/** An invalid field. `field` is a path such as `fields[2].value`. */
export interface FieldIssue {
  field: string;
  issue: string;
}

/**
 * The reason why a document is not signed or verified; `details` lists the invalid fields. `message` is public; `cause` may
 * quote the document.
 */
export class SignatureError extends Error {
  readonly code: SignatureErrorCode;
  readonly details: FieldIssue[] | undefined;

  constructor(
    code: SignatureErrorCode,
    message: string,
    options: { cause?: unknown; details?: FieldIssue[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SignatureError';
    this.code = code;
    this.details = options.details;
  }
}
