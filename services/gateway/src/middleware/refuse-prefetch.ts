import { refuseMethod } from '@scriptorium/shared/http/refusals';
import { invalid } from '@scriptorium/shared/http/validation';
import type { Middleware } from '../http/context.ts';

/**
 * Protects a GET with side effects from prefetching browsers, embedded resources and the HEAD requests of link scanners.
 * The exchange is not cached, and its URL is not sent as a referrer.
 */
export const refusePrefetch =
  (allowed: string[]): Middleware =>
  (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    if (request.method === 'HEAD') refuseMethod(request, response, allowed);
    const destination = request.headers['sec-fetch-dest'] ?? 'empty';
    if (request.headers['sec-purpose'] !== undefined || request.headers.purpose === 'prefetch')
      throw invalid([{ field: 'header sec-purpose', issue: 'this operation must not be prefetched' }]);
    // A page of another site must not make its visitors ask for codes, or use up attempts.
    if (request.headers['sec-fetch-site'] === 'cross-site')
      throw invalid([
        { field: 'header sec-fetch-site', issue: 'this operation must not be used by other sites' },
      ]);
    if (destination !== 'empty' && destination !== 'document')
      throw invalid([{ field: 'header sec-fetch-dest', issue: 'this operation must not be embedded' }]);
    next();
  };
