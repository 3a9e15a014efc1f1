import { STATUS_CODES } from 'node:http';

interface ErrorEntry {
  status: number;
  /** When a caller meets it. */
  when: string;
  /** What the caller can do about it. */
  remedy: string;
  /** True where the same request may succeed later, unchanged. */
  retryable: boolean;
}

const entry = (status: number, when: string, remedy: string, retryable = false): ErrorEntry => ({
  status,
  when,
  remedy,
  retryable,
});

/** The only source of error codes: `docs/reference/errors.md` and the OpenAPI document are generated from it. */
export const ERRORS = {
  VALIDATION_ERROR: entry(
    400,
    'The request is invalid; `details` names every field at fault.',
    'Correct the named fields.',
  ),
  INVALID_FILE_FORMAT: entry(
    400,
    'The file is not of the type that is due, or is truncated or corrupt.',
    'Open the file in a word processor, save it again in the format that `from` names, and send that.',
  ),
  DOCUMENT_ENCRYPTED: entry(
    400,
    'The document is protected by a password or by rights management.',
    'Remove the protection and send the document again.',
  ),
  DOCUMENT_TOO_COMPLEX: entry(
    400,
    'A bound on entries, size, depth, nodes, pages, pixels or processing time was passed; the message names the bound.',
    'Split or simplify the document.',
  ),
  DOCUMENT_FETCH_FAILED: entry(
    400,
    'The document of `url` could not be fetched: unreachable, not 200, too large, too slow, or at an address that may not be fetched.',
    'Check that the address is public and answers fast, or send the document as `base64`.',
  ),
  IMAGE_INVALID: entry(
    400,
    'The value of an image or signature field is no supported image, or could not be fetched; `details` names the field.',
    'Send a PNG, JPEG, GIF, WebP, BMP, TIFF or SVG image.',
  ),
  FIELD_NOT_FOUND: entry(
    400,
    'With `onMissing=error`: an `id` or `group` matches nothing in the template; `details` names each.',
    'Correct the names (`POST /v1/templates/inspect` lists them), or leave `onMissing` out.',
  ),
  DOCUMENT_LOCKED: entry(
    400,
    'A certification in the document permits no further signature.',
    'Sign a copy that was not certified, or was certified with permission to sign.',
  ),
  FIELD_ALREADY_SIGNED: entry(
    400,
    'The signature field that `field` names is signed already.',
    'Name an empty signature field, or leave `field` out.',
  ),
  UNSUPPORTED_LEVEL: entry(
    400,
    'The signature level cannot be made for this kind of document, key or configuration; the message says why.',
    'Ask for a lower level, or have the authority that it needs configured.',
  ),
  SIGNING_KEY_INVALID: entry(
    400,
    'The key, its password or its certificate cannot sign: unreadable, wrong, mismatched, expired, too weak, or not taken by this service; the message says which.',
    'Send a key whose certificate is valid and belongs to it, or name a profile.',
  ),
  EMAIL_CODE_INVALID: entry(
    400,
    'The e-mail code is wrong, used or expired.',
    'Check the code, or register again to be sent a new one.',
  ),
  AUTHENTICATION_ERROR: entry(
    401,
    'The API key is missing, malformed, unknown or revoked.',
    'Send `Authorization: Bearer <API_KEY>` with a live key.',
  ),
  NOT_FOUND: entry(404, 'There is no such route or resource.', 'Check the path.'),
  METHOD_NOT_ALLOWED: entry(
    405,
    'The route exists, but not for this method; `Allow` lists the methods it takes.',
    'Use one of the listed methods.',
  ),
  REQUEST_TIMEOUT: entry(
    408,
    'The request was not received in full in time.',
    'Send it again over a faster connection.',
    true,
  ),
  PAYLOAD_TOO_LARGE: entry(
    413,
    'The body or file is larger than the limit that the message names.',
    'Send a smaller file.',
  ),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    'The request has the wrong content type, or a content encoding that is not taken.',
    'Send the content type that the operation documents, unencoded.',
  ),
  FONT_UNAVAILABLE: entry(
    422,
    'With `strictFonts=true`: fonts of the document are not installed; `details` names each.',
    'Embed the fonts or use others, have them installed, or leave `strictFonts` out.',
  ),
  UNPROCESSABLE: entry(
    422,
    'The request is well-formed, and cannot be done on this document: the audit trail has no `submit`, or an earlier signature is broken.',
    'Correct what the message names.',
  ),
  CONCURRENCY_LIMIT: entry(
    429,
    'The API key already has as many requests in flight as it may, or those of its owner hold as many bytes.',
    'Wait for one to be answered, then send again.',
    true,
  ),
  RATE_LIMIT_EXCEEDED: entry(
    429,
    'More requests a minute than allowed.',
    'Send again after the seconds in `Retry-After`.',
    true,
  ),
  INTERNAL_ERROR: entry(
    500,
    'A fault of the service; its cause is in the log under `requestId`.',
    'Try again; if it persists, report the `requestId`.',
    true,
  ),
  CONVERSION_FAILED: entry(
    500,
    'The engine failed on a readable document, twice.',
    'Try again; if it persists, report the `requestId`.',
    true,
  ),
  TIMESTAMP_UNAVAILABLE: entry(
    502,
    'The time-stamping authority failed, or its answer does not hold. The level is never lowered silently.',
    'Try again, or ask for a level without a time-stamp.',
    true,
  ),
  REVOCATION_UNAVAILABLE: entry(
    502,
    'An authority gave no usable answer on whether a certificate is revoked.',
    'Try again, or ask for a level without revocation data.',
    true,
  ),
  REMOTE_SIGNER_FAILED: entry(
    502,
    'The remote signing service failed, or its answer does not hold.',
    'Try again; if it persists, report the `requestId`.',
    true,
  ),
  OVERLOADED: entry(
    503,
    'The queue is full, or the wait would outlast the deadline.',
    'Send again after the seconds in `Retry-After`.',
    true,
  ),
  UNAVAILABLE: entry(
    503,
    'A part of the service (queue, store or worker) is away.',
    'Send again after the seconds in `Retry-After`.',
    true,
  ),
  DEADLINE_EXCEEDED: entry(
    504,
    'The deadline passed; the work was cancelled.',
    'Try again, or send a smaller document.',
    true,
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** One field at fault. `field` is a path such as `fields[2].value`. */
export interface ErrorDetail {
  field: string;
  issue: string;
}

export interface AppErrorOptions {
  details?: ErrorDetail[];
  /** For the log only; never shown to a caller. */
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number;
}

/** An expected failure. `message` is public; `cause` is private and goes to the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The body of every error reply. */
export interface ErrorBody {
  code: ErrorCode;
  error: string;
  message: string;
  requestId: string;
  details?: ErrorDetail[];
}

/** The public form of an error: never its cause, never a stack. */
export function errorBody(error: AppError, requestId: string): ErrorBody {
  return {
    code: error.code,
    error: STATUS_CODES[error.status] ?? 'Error',
    message: error.message,
    requestId,
    details: error.details,
  };
}

/** For the `catch` of a call to a server behind us: that part is away, the request may be sent again. */
export function unavailable(
  part: 'queue' | 'document store' | 'key store' | 'usage store',
): (cause: unknown) => never {
  return (cause) => {
    throw new AppError('UNAVAILABLE', `The ${part} cannot be reached.`, { cause });
  };
}
