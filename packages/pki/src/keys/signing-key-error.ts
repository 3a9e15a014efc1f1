import { PkiError } from '../pki-error.ts';

/** `message` is for whoever sent the key; it never holds any part of the key or its password. */
export function signingKeyInvalid(message: string, cause?: unknown): PkiError {
  return new PkiError('SIGNING_KEY_INVALID', message, { cause });
}

/** Of neither RSA nor ECDSA. */
export function otherKind(): PkiError {
  return signingKeyInvalid('The key is of a kind that does not sign documents: RSA and ECDSA keys do.');
}
