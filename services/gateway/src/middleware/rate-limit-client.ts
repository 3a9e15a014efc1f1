import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Redis } from 'ioredis';
import type { Middleware } from '../http/context.ts';
import { networkOf } from '../http/network.ts';
import { countWithin } from '../limits/quota.ts';

const HOUR_MS = 3_600_000;

/** Limits how often one client network may call operations without a key. Throws RATE_LIMIT_EXCEEDED. */
export function rateLimitClient(redis: Redis, perHourMax: number, purpose: string): Middleware {
  return async (request, _response, next) => {
    const name = `${purpose}:${networkOf(request.ip ?? '')}`;
    const count = await countWithin(redis, name, perHourMax, HOUR_MS).catch(unavailable('queue'));
    if (!count.within)
      throw new AppError(
        'RATE_LIMIT_EXCEEDED',
        `The limit is ${perHourMax} such requests per hour from one address.`,
        { retryAfterSeconds: Math.ceil(count.resetMs / 1000) },
      );
    next();
  };
}
