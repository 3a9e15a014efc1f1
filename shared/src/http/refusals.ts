import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@scriptorium/contracts/errors';
import { invalid } from './validation.ts';

/**
 * Rejects requests that two parsers on the path could interpret differently (RFC 9112 §3.2): without `Host`, or with a repeated
 * header of `once`. Also rejects expectations other than 100-continue. Throws VALIDATION_ERROR,
 * and NOT_IMPLEMENTED for transfer codings other than chunked (§6.1).
 */
export function refuseAmbiguity(
  { rawHeaders, headers }: IncomingMessage,
  once: readonly string[] = ['host'],
): void {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (!once.includes(name)) continue;
    if (seen.has(name)) throw invalid([{ field: `header ${name}`, issue: 'must not be repeated' }]);
    seen.add(name);
  }
  if (!seen.has('host')) throw invalid([{ field: 'header host', issue: 'is required' }]);
  const { expect } = headers;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw new AppError('NOT_IMPLEMENTED', 'Send the body without a transfer coding other than chunked.');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue')
    throw invalid([{ field: 'header expect', issue: 'must be 100-continue' }]);
}

/** Rejects a method that the route does not support. Sets `Allow` and throws METHOD_NOT_ALLOWED. */
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
