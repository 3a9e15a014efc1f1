import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import { invalid } from './validation.ts';

/**
 * Refuses what two parsers on the way might read differently (RFC 9112 §3.2): a request without `Host`, and one that repeats
 * a header of `once`. Refuses expectations other than 100-continue as well. Throws VALIDATION_ERROR.
 */
export function refuseAmbiguity(
  { rawHeaders, headers }: IncomingMessage,
  once: readonly string[] = ['host'],
): void {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (!once.includes(name)) continue;
    if (seen.has(name)) throw invalid([{ field: `header ${name}`, issue: 'was sent twice' }]);
    seen.add(name);
  }
  if (!seen.has('host')) throw invalid([{ field: 'header host', issue: 'is required' }]);
  const { expect } = headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw invalid([{ field: 'header expect', issue: 'only 100-continue is met' }]);
}

/** Refuses a method that the route does not have. Sets `Allow` and throws METHOD_NOT_ALLOWED. */
export function refuseMethod(
  request: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
): never {
  response.setHeader('Allow', allowed.join(', '));
  throw new AppError(
    'METHOD_NOT_ALLOWED',
    `Method ${request.method} not allowed; use ${allowed.join(' or ')}.`,
  );
}
