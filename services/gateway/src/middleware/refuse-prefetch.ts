import { refuseMethod } from '@scriptorium/shared/http/refusals';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Middleware } from '../context.ts';

/**
 * For a GET that changes something: a browser that prefetches, an embedded resource or a link scanner's HEAD must
 * not set it off. Nothing of the exchange is cached or passed on.
 */
export const refusePrefetch =
  (allowed: string[]): Middleware =>
  (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    if (request.method === 'HEAD') refuseMethod(request, response, allowed);
    const destination = request.headers['sec-fetch-dest'] ?? 'empty';
    if (request.headers['sec-purpose'] !== undefined || request.headers.purpose === 'prefetch')
      throw invalid([{ field: 'header sec-purpose', issue: 'this operation is not for prefetching' }]);
    if (destination !== 'empty' && destination !== 'document')
      throw invalid([{ field: 'header sec-fetch-dest', issue: 'this operation is not for embedding' }]);
    next();
  };
