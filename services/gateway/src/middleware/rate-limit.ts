import { AppError, unavailable } from '@scriptorium/shared/errors';
import {
  acquireQuota,
  type QuotaAnswer,
  type QuotaLimits,
  releaseQuota,
} from '@scriptorium/shared/queue/quota';
import type { Redis } from 'ioredis';
import { type Middleware, ownerOf, type Reply } from '../context.ts';

/** A place in flight usually comes free within this time. */
const CONCURRENCY_RETRY_SECONDS = 1;

/**
 * Holds a place in flight for the key until the answer is out, and counts the request in its minute. `redis` fails
 * fast, and is the queue's as `patientRedis` is.
 */
export function rateLimit(redis: Redis, patientRedis: Redis, limits: QuotaLimits): Middleware {
  const release = (caller: string, requestId: string): void => {
    releaseQuota(redis, caller, requestId)
      .catch(() => releaseQuota(patientRedis, caller, requestId))
      .catch(() => undefined);
  };
  return async (_request, response, next) => {
    const { requestId } = response.locals;
    const caller = ownerOf(response).id;
    // Before the place is asked for: Redis may grant it after we stopped waiting, and this comes behind on the same
    // connection. Of a Redis that is away no place is asked.
    if (redis.status === 'ready') response.on('close', () => release(caller, requestId));
    const quota = await acquireQuota(redis, caller, requestId, limits).catch(unavailable('queue'));
    showRate(response, limits, quota);
    if (quota.outcome === 'concurrency')
      throw new AppError(
        'CONCURRENCY_LIMIT',
        `This key already has ${limits.inFlightMax} requests in flight, as many as it may.`,
        { retryAfterSeconds: CONCURRENCY_RETRY_SECONDS },
      );
    if (quota.outcome === 'rate')
      throw new AppError(
        'RATE_LIMIT_EXCEEDED',
        `This key may send ${limits.perMinuteMax} requests a minute.`,
        {
          retryAfterSeconds: Math.ceil(quota.resetMs / 1000),
        },
      );
    response.locals.inFlight = quota.inFlight;
    next();
  };
}

function showRate(response: Reply, limits: QuotaLimits, quota: QuotaAnswer): void {
  response.setHeader('X-RateLimit-Limit', limits.perMinuteMax);
  response.setHeader('X-RateLimit-Remaining', quota.remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil((Date.now() + quota.resetMs) / 1000));
}
