import type { Error as ErrorBody, ErrorCode } from './api-types.gen.ts';

/** Codes of the way to the service: no answer came, none came in time, or what answered is not the service. */
type WayCode = 'CONNECTION_FAILED' | 'TIMEOUT' | 'UNEXPECTED_ANSWER';
/** Codes of what the caller gives: nothing was sent. */
type InputCode =
  | 'FILE_NOT_FOUND'
  | 'FILE_UNREADABLE'
  | 'DATA_INVALID'
  | 'ENCODING_UNKNOWN'
  | 'DELIMITER_UNKNOWN';
type Code = ErrorCode | WayCode | InputCode;

/** The request has had no effect, or a repetition has the same. */
const RETRIED_STATUSES = [429, 503, 504];
const RETRIED_CODES =
  'CONNECTION_FAILED RATE_LIMIT_EXCEEDED CONCURRENCY_LIMIT OVERLOADED UNAVAILABLE DEADLINE_EXCEEDED IDEMPOTENCY_IN_PROGRESS';

/** A request that was not answered with success. */
export class ScriptoriumError extends Error {
  override readonly name = 'ScriptoriumError';
  declare readonly code: Code;
  /** 0 if no answer came. */
  declare readonly status: number;
  /** The fields of the request at fault. */
  declare readonly details: NonNullable<ErrorBody['details']>;
  /** Names the request in the logs of the service. */
  declare readonly requestId: string | undefined;
  /** The time to wait that the service asked for. */
  declare readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isRetryable: boolean;

  constructor(
    { code, message, details = [], requestId }: { code: Code } & Partial<Omit<ErrorBody, 'code'>>,
    { status = 0, retryAfterMs, cause }: { status?: number; retryAfterMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    Object.assign(this, { code, details, requestId, status, retryAfterMs });
    this.isRetryable = RETRIED_STATUSES.includes(status) || RETRIED_CODES.split(' ').includes(code);
  }
}

/** Returns the error of an answer. */
export async function errorOf(response: Response): Promise<ScriptoriumError> {
  const { status, headers } = response;
  const seconds = headers.get('retry-after');
  const facts = { status, ...(seconds !== null && { retryAfterMs: Number(seconds) * 1_000 }) };
  const requestId = headers.get('x-request-id') ?? '';
  const body = (await response.json().catch(() => null)) as ErrorBody | null;
  if (typeof body?.code === 'string') return new ScriptoriumError(body, facts);
  return new ScriptoriumError({ code: 'UNEXPECTED_ANSWER', message: `HTTP ${status}`, requestId }, facts);
}
