import type { Middleware } from '../context.ts';
import { invalid } from '../validation.ts';

/** Refuses what two parsers on the way might read differently: a second Host or Authorization header. */
export const refuseAmbiguity: Middleware = (request, _response, next) => {
  const seen = new Set<string>();
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    const name = (request.rawHeaders[i] ?? '').toLowerCase();
    if (name !== 'host' && name !== 'authorization') continue;
    if (seen.has(name)) throw invalid([{ field: `header ${name}`, issue: 'was sent twice' }]);
    seen.add(name);
  }
  next();
};
