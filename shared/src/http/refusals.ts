import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@scriptorium/contracts/errors';
import { invalid } from './validation.ts';

/** A name or an address, and a port. Pages repeat it in commands to copy, so it has no character that a shell reads. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Rejects requests that two parsers on the path could interpret differently (RFC 9112 §3.2). They lack `Host`, have another one
 * in an absolute address, repeat a header of `once`, or are of another version of HTTP. Also rejects expectations other than
 * 100-continue. Throws VALIDATION_ERROR, and NOT_IMPLEMENTED for transfer codings other than chunked (§6.1).
 */
export function refuseAmbiguity(
  { rawHeaders, headers, httpVersionMajor, url = '' }: IncomingMessage,
  once: readonly string[] = ['host'],
): void {
  if (httpVersionMajor !== 1) throw invalid([{ field: 'request line', issue: 'must name HTTP/1.1' }]);
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase();
    if (!once.includes(name)) continue;
    if (seen.has(name)) throw invalid([{ field: `header ${name}`, issue: 'must not be repeated' }]);
    seen.add(name);
  }
  if (!seen.has('host')) throw invalid([{ field: 'header host', issue: 'is required' }]);
  const { expect, host = '' } = headers;
  if (!HOST.test(host)) throw invalid([{ field: 'header host', issue: 'must be a name or an address' }]);
  const named = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1];
  if (named !== undefined && named.toLowerCase() !== host.toLowerCase())
    throw invalid([{ field: 'request line', issue: 'must have the host of the header' }]);
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
