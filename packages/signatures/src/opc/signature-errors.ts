/** Thrown where a signature cannot be read, or asks for what no signature of a package has; its message is a phrase about it. */
export class SignatureFormatError extends Error {}

/** Thrown where a signature may be good, by an algorithm that is not checked here. */
export class UnsupportedMethodError extends SignatureFormatError {}
