import type { OoxmlErrorCode } from '@scriptorium/ooxml/error';

/** A document that cannot be merged. */
export class MergeError extends Error {
  readonly code: OoxmlErrorCode;
  /** Its position in the request, starting at 0. */
  readonly document: number | undefined;

  constructor(code: OoxmlErrorCode, message: string, options: { document?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'MergeError';
    this.code = code;
    this.document = options.document;
  }
}
