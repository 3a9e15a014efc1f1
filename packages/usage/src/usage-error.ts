export type UsageErrorCode = 'DEADLINE_EXCEEDED';

/** The reason why usage cannot be read. `message` is public; `cause` may quote the document. */
export class UsageError extends Error {
  readonly code: UsageErrorCode;

  constructor(code: UsageErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UsageError';
    this.code = code;
  }
}
