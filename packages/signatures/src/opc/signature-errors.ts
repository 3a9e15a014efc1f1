/** Thrown if a signature cannot be read, or has a form that packages do not allow. The message is a phrase about it. */
export class SignatureFormatError extends Error {}

/** Thrown if a signature uses an algorithm that is not supported; it may still be valid. */
export class UnsupportedMethodError extends SignatureFormatError {}
