import { STATUS_CODES } from 'node:http';

interface ErrorEntry {
  status: number;
  /** When the error occurs. */
  when: string;
  /** What the caller can do about it. */
  remedy: string;
  /** True if the same request may succeed later. */
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
    'The request is invalid; `details` names every invalid field.',
    'Correct the named fields.',
  ),
  INVALID_FILE_FORMAT: entry(
    400,
    'The file does not have the expected type, or is truncated or corrupt.',
    'Open the file in a word processor, save it again in the format of `from`, and send it again.',
  ),
  DOCUMENT_ENCRYPTED: entry(
    400,
    'The document is protected in a way that the operation does not support: by a password, a certificate or rights management.',
    'Remove the protection and send the document again.',
  ),
  PASSWORD_REQUIRED: entry(
    400,
    'The document is encrypted, and it requires a password.',
    'Send the password of the document as `password`: of a PDF, that of its user or owner.',
  ),
  PASSWORD_WRONG: entry(
    400,
    '`password` is not a password of the document.',
    'Correct `password`, or omit it if the document opens without one.',
  ),
  DOCUMENT_TOO_COMPLEX: entry(
    400,
    'The document exceeds a limit on entries, size, depth, nodes, paragraphs, tables, columns, pages, pixels or processor time; the message names the limit.',
    'Split or simplify the document.',
  ),
  DOCUMENT_FETCH_FAILED: entry(
    400,
    'The document at `url` could not be fetched; the message gives the reason: unreachable, not permitted, wrong status, too large or too slow.',
    'Check that the URL is public and responds quickly, or send the document as `base64`.',
  ),
  IMAGE_INVALID: entry(
    400,
    'The value of an image or signature field is not a supported image, or could not be fetched; `details` names the field.',
    'Send a PNG, JPEG, GIF, WebP, BMP, TIFF or SVG image.',
  ),
  FIELD_NOT_FOUND: entry(
    400,
    'With `onMissing=error`: an `id` or `group` matches nothing in the template; `details` names each.',
    'Correct the names (`POST /v1/templates/inspect` lists them), or omit `onMissing`.',
  ),
  TEMPLATE_INVALID: entry(
    400,
    'The marks of the template are wrong: an unknown formatter, a loop without an end, a range that cannot be repeated. `details` names each place and mark.',
    'Correct the marks in the template.',
  ),
  DATA_MISSING: entry(
    400,
    'With `onMissing=error`: `data` has no value for marks of the template; `details` names each path.',
    'Add the values to `data`, or omit `onMissing`.',
  ),
  DATA_UNUSED: entry(
    400,
    'With `onUnused=error`: no mark of the template reads some properties of `data`; `details` names each path.',
    'Correct the names in `data` or in the template, remove the properties, or omit `onUnused`.',
  ),
  DOCUMENT_LOCKED: entry(
    400,
    'A certification or lock in the document, or the permissions of an encrypted PDF, do not permit this signature or value. The message gives the reason.',
    'Use a copy that permits it, or send the password of the owner of the encrypted PDF.',
  ),
  FIELD_ALREADY_SIGNED: entry(
    400,
    'The signature field of `field` is already signed.',
    'Use an empty signature field, or omit `field`.',
  ),
  UNSUPPORTED_LEVEL: entry(
    400,
    'The signature level is not available for this type of document, key or configuration; the message gives the reason.',
    'Request a lower level, or ask the operator to configure the required authority.',
  ),
  SIGNING_KEY_INVALID: entry(
    400,
    'The key, its password or its certificate is unreadable, wrong, mismatched, expired, too weak or not accepted by this service. The message gives the reason.',
    'Send a key with a valid and matching certificate, or use a profile.',
  ),
  EMAIL_CODE_INVALID: entry(
    400,
    'The e-mail code is wrong, used or expired.',
    'Check the code, or register again to receive a new one.',
  ),
  AUTHENTICATION_ERROR: entry(
    401,
    'The API key is missing, malformed, unknown or revoked.',
    'Send `Authorization: Bearer <API_KEY>` with an active key.',
  ),
  FORBIDDEN: entry(
    403,
    'The API key, or a caller without one, may not do this; the message gives the reason.',
    'Use a key that may, or ask the operator.',
  ),
  NOT_FOUND: entry(404, 'The route or resource does not exist.', 'Check the path.'),
  GONE: entry(410, 'The result was fetched already, or its time is over.', 'Send the request again.'),
  JOB_ENDED: entry(409, 'The job has ended, so it cannot be canceled.', 'Read its state.'),
  IDEMPOTENCY_IN_PROGRESS: entry(
    409,
    'A call with this `Idempotency-Key` is under way.',
    'Send it again after the seconds in `Retry-After`, or wait for its answer.',
    true,
  ),
  IDEMPOTENCY_KEY_REUSED: entry(422, 'Another request has this `Idempotency-Key`.', 'Use a new key.'),
  METHOD_NOT_ALLOWED: entry(
    405,
    'The route does not support this method; `Allow` lists the supported methods.',
    'Use one of the listed methods.',
  ),
  REQUEST_TIMEOUT: entry(
    408,
    'The request was not received completely in time.',
    'Send it again over a faster connection.',
    true,
  ),
  PAYLOAD_TOO_LARGE: entry(413, 'The body or file exceeds the limit in the message.', 'Send a smaller file.'),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    'The request has the wrong content type, or an unsupported content encoding.',
    'Send the documented content type without a content encoding.',
  ),
  FONT_UNAVAILABLE: entry(
    422,
    'With `strictFonts=true` or `exact`: fonts of the document are not installed; `details` names each font.',
    'Embed the fonts, use other fonts, ask the operator to install them, or omit `strictFonts`.',
  ),
  UNPROCESSABLE: entry(
    422,
    'The request is valid, but cannot be applied to this document. The audit trail has no `submit`, an earlier signature is invalid, or a PDF to merge is signed. Or a form is only of XFA, or the engine crashes on it.',
    'Correct the problem in the message, or simplify the document.',
  ),
  CONCURRENCY_LIMIT: entry(
    429,
    'The API key has reached its limit of requests in flight, or its owner the limit of bytes in flight. Or its owner has most of the documents that take long, and other callers wait.',
    'Wait for an answer or for the seconds in `Retry-After`, then send the request again.',
    true,
  ),
  RATE_LIMIT_EXCEEDED: entry(
    429,
    'The API key or address has reached its rate limit.',
    'Send the request again after the seconds in `Retry-After`.',
    true,
  ),
  INTERNAL_ERROR: entry(
    500,
    'The service failed; the cause is in the log under `requestId`.',
    'Try again; if it persists, report the `requestId`.',
    true,
  ),
  CONVERSION_FAILED: entry(
    500,
    'The engine failed twice on a readable document, in two ways.',
    'Try again; if it persists, report the `requestId`.',
    true,
  ),
  NOT_IMPLEMENTED: entry(
    501,
    'The request has a transfer coding other than `chunked`, such as `gzip, chunked`.',
    'Send the body without it.',
  ),
  TIMESTAMP_UNAVAILABLE: entry(
    502,
    'The time-stamping authority failed, or its answer is invalid. The service never lowers the level.',
    'Try again, or request a level without a time-stamp.',
    true,
  ),
  REVOCATION_UNAVAILABLE: entry(
    502,
    'No authority returned valid revocation data for a certificate.',
    'Try again, or request a level without revocation data.',
    true,
  ),
  REMOTE_SIGNER_FAILED: entry(
    502,
    'The remote signing service failed, or its answer is invalid.',
    'Try again; if it persists, report the `requestId`.',
    true,
  ),
  DELIVERY_FAILED: entry(502, 'The address of `deliver` did not take the result.', 'Correct the address.'),
  INPUT_LOST: entry(503, 'Redis lost the document of the job.', 'Send the request again.', true),
  OVERLOADED: entry(
    503,
    'The queue or the memory budget is full, or the expected wait is too long.',
    'Send the request again after the seconds in `Retry-After`.',
    true,
  ),
  UNAVAILABLE: entry(
    503,
    'A part of the service (queue, store or worker) is not available.',
    'Send the request again after the seconds in `Retry-After`.',
    true,
  ),
  DEADLINE_EXCEEDED: entry(
    504,
    'The deadline passed and the work was canceled.',
    'Try again, or send a smaller document.',
    true,
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** One invalid field. `field` is a path such as `fields[2].value`. */
export interface ErrorDetail {
  field: string;
  issue: string;
}

export interface AppErrorOptions {
  details?: ErrorDetail[];
  /** For the log only. It must not be sent to a caller. */
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number;
  /** The failed step of a request that several workers handle, starting at 0. */
  step?: number | undefined;
}

/** An expected failure. `message` is public. `cause` is private and is only logged. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly step: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.step = options.step;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Returns the error with other names for its fields. */
export function renamed(error: AppError, nameOf: (field: string) => string): AppError {
  const { code, message, details, cause, retryAfterSeconds, step } = error;
  return new AppError(code, message, {
    cause,
    step,
    ...(details && { details: details.map(({ field, issue }) => ({ field: nameOf(field), issue })) }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** The body of every error reply. */
export interface ErrorBody {
  code: ErrorCode;
  error: string;
  message: string;
  requestId: string;
  details?: ErrorDetail[];
}

/** Returns the public form of an error, without its cause and stack. */
export function errorBody(error: AppError, requestId: string): ErrorBody {
  return {
    code: error.code,
    error: STATUS_CODES[error.status] ?? 'Error',
    message: error.message,
    requestId,
    details: error.details,
  };
}

/** Makes a handler for the `catch` of a call to a backend. It throws UNAVAILABLE. */
export function unavailable(
  part: 'queue' | 'document store' | 'key store' | 'usage store',
): (cause: unknown) => never {
  return (cause) => {
    throw new AppError('UNAVAILABLE', `The ${part} cannot be reached.`, { cause });
  };
}
