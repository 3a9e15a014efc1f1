export type PkiErrorCode = 'SIGNING_KEY_INVALID' | 'TIMESTAMP_UNAVAILABLE' | 'REVOCATION_UNAVAILABLE';

/**
 * A key cannot sign, or an authority gave no usable response. `message` is public; `cause` may quote the document.
 */
export class PkiError extends Error {
  readonly code: PkiErrorCode;

  constructor(code: PkiErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PkiError';
    this.code = code;
  }
}

/** `message` is public and never holds any part of the key or its password. */
export function signingKeyInvalid(message: string, cause?: unknown): PkiError {
  return new PkiError('SIGNING_KEY_INVALID', message, { cause });
}

/** The key is neither RSA nor ECDSA. */
export function otherKind(): PkiError {
  return signingKeyInvalid('The key type is not supported for signing; use RSA or ECDSA.');
}
