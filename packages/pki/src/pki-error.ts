export type PkiErrorCode = 'SIGNING_KEY_INVALID' | 'TIMESTAMP_UNAVAILABLE' | 'REVOCATION_UNAVAILABLE';

/** Why a key cannot sign, or an authority gave no usable answer. `message` is public; `cause` may quote the document. */
export class PkiError extends Error {
  readonly code: PkiErrorCode;

  constructor(code: PkiErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PkiError';
    this.code = code;
  }
}
