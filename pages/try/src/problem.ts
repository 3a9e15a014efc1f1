import { ScriptoriumError } from '@scriptorium/client';
import { ADVICE } from './advice.ts';
import { KeyNeeded } from './key.ts';
import { isOnline, settings } from './service.ts';

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
