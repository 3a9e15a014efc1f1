import type { Middleware } from '../context.ts';
import { invalid } from '../validation.ts';

/** Refuses what two parsers on the way might read differently (RFC 9112 §3.2), and expectations that nobody meets. */
export const refuseAmbiguity: Middleware = (request, _response, next) => {
  const seen = new Set<string>();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = (request.rawHeaders[i] ?? '').toLowerCase();
    if (name !== 'host' && name !== 'authorization') continue;
    if (seen.has(name)) throw invalid([{ field: `header ${name}`, issue: 'was sent twice' }]);
    seen.add(name);
  }
  if (!seen.has('host')) throw invalid([{ field: 'header host', issue: 'is required' }]);
  const expectation = request.headers.expect;
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue')
    throw invalid([{ field: 'header expect', issue: 'only 100-continue is met' }]);
  next();
};
