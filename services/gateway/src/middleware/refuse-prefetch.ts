import { AppError } from '@scriptorium/shared/errors';
import type { Middleware } from '../context.ts';
import { invalid } from '../validation.ts';

/**
 * For a GET that changes something: a browser that prefetches, an embedded resource or a link scanner's HEAD must
 * not set it off. Nothing of the exchange is cached or passed on.
 */
export const refusePrefetch =
  (allowed: string[]): Middleware =>
  (request, response, next) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    if (request.method === 'HEAD') {
      response.setHeader('Allow', allowed.join(', '));
      throw new AppError('METHOD_NOT_ALLOWED', 'This operation does not answer HEAD.');
    }
    const destination = request.headers['sec-fetch-dest'] ?? 'empty';
    if (request.headers['sec-purpose'] !== undefined || request.headers.purpose === 'prefetch')
      throw invalid([{ field: 'header sec-purpose', issue: 'this operation is not for prefetching' }]);
    if (destination !== 'empty' && destination !== 'document')
      throw invalid([{ field: 'header sec-fetch-dest', issue: 'this operation is not for embedding' }]);
    next();
  };
