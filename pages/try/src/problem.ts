import { ScriptoriumError } from '@scriptorium/client';
import { KeyNeeded } from './key.ts';
import { isOnline, settings } from './service.ts';

const WAIT = 'Wait until the button can be used again. Your document is still here.';

/** What a visitor can do. For other codes, the service says what callers can do: they send no headers here. */
const ADVICE: Record<string, string> = {
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

/** Something that went wrong, and what the visitor can do. */
export interface Problem {
  code: string;
  message: string;
  advice: string;
  details: readonly { field: string; issue: string }[];
  requestId?: string;
  /** Epoch milliseconds: when it makes sense to try again. */
  retryAt?: number;
}

export function localProblem(code: string, message: string, advice: string): Problem {
  return { code, message, advice, details: [] };
}

/** Returns what to show of an error; null if the visitor ended the work. */
export function problemOf(error: unknown): Problem | null {
  if (error instanceof DOMException && error.name === 'AbortError') return null;
  if (error instanceof KeyNeeded)
    return localProblem(
      'KEY_NEEDED',
      'This service needs an API key.',
      'Open “Usage & keys” to get one by e-mail, or to enter one.',
    );
  if (!(error instanceof ScriptoriumError))
    return localProblem('PAGE_ERROR', String(error), 'Reload the page. If it happens again, report it.');
  if (error.code === 'CONNECTION_FAILED' && !isOnline.value)
    return localProblem('OFFLINE', 'You are offline.', 'Connect to the network, then try again.');
  const { code, message, details, requestId, retryAfterMs } = error;
  const remedies: Record<string, string> = settings.value?.remedies ?? {};
  return {
    code,
    message,
    details,
    advice: ADVICE[code] ?? remedies[code] ?? 'Try again.',
    ...(requestId && { requestId }),
    ...(retryAfterMs !== undefined && { retryAt: Date.now() + retryAfterMs }),
  };
}
