const WAIT = 'Wait until the button can be used again. Your document is still here.';

/** What a visitor can do. For other codes, the service says what callers can do: they send no headers here. */
export const ADVICE: Record<string, string> = {
  CONNECTION_FAILED: 'Check your connection, then try again. Nothing was lost: your document is still here.',
  TIMEOUT: 'Try again, or use a smaller document.',
  DATA_INVALID: 'Correct the file in the named place, and choose it again.',
  ENCODING_UNKNOWN: 'Choose the encoding, or save the file as UTF-8.',
  DELIMITER_UNKNOWN: 'Save the file with other delimiters.',
  UNEXPECTED_ANSWER: 'A proxy may be in the way. Try again, or ask the operator of this service.',
  AUTHENTICATION_ERROR:
    'The key may be wrong, revoked or expired. “Usage & keys” takes another key, or sends one by e-mail.',
  FORBIDDEN: 'Use a key that may do this, or ask the operator of this service.',
  RATE_LIMIT_EXCEEDED: `${WAIT} Another key has requests of its own.`,
  CONCURRENCY_LIMIT: `Other work with this key is under way. ${WAIT}`,
  OVERLOADED: `The service has much to do. ${WAIT}`,
  UNAVAILABLE: `A part of the service is away. ${WAIT} If it lasts, ask the operator of this service.`,
};
