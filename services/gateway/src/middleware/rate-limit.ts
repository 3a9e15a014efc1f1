import { AppError, unavailable } from '@scriptorium/contracts/errors';
import type { Redis } from 'ioredis';
import { type Middleware, ownerOf, type Reply } from '../http/context.ts';
import {
  acquireQuota,
  limitsOf,
  type QuotaAnswer,
  type QuotaLimits,
  releaseQuota,
  renewQuota,
} from '../limits/quota.ts';

/** A request in flight usually ends within this time. */
const CONCURRENCY_RETRY_SECONDS = 1;

/**
 * Limits the requests in flight and the requests per minute of a key, which may have limits of its own. Both connections go to the Redis of the queue;
 * `redis` fails fast. The same command counts the waiting jobs of `queues`.
 */
export function rateLimit(
  redis: Redis,
  patientRedis: Redis,
  ofService: QuotaLimits,
  queues: readonly string[],
): Middleware {
  const release = (caller: string, requestId: string): void => {
    releaseQuota(redis, caller, requestId)
      .catch(() => releaseQuota(patientRedis, caller, requestId))
      .catch(() => undefined);
  };
  return async (_request, response, next) => {
    const { requestId } = response.locals;
    const caller = ownerOf(response).id;
    // Register the release first: Redis may grant the quota after we stopped waiting, and the release follows on the same
    // connection. While Redis is down, no quota is requested.
    if (redis.status === 'ready') response.on('close', () => release(caller, requestId));
    const owner = ownerOf(response);
    const limits = limitsOf(owner, ofService);
    const quota = await acquireQuota(redis, owner, requestId, limits, queues).catch(unavailable('queue'));
    showRate(response, limits, quota);
    if (quota.outcome === 'concurrency')
      throw new AppError(
        'CONCURRENCY_LIMIT',
        `This key has reached its limit of ${limits.inFlightMax} requests in flight.`,
        { retryAfterSeconds: CONCURRENCY_RETRY_SECONDS },
      );
    if (quota.outcome === 'rate')
      throw new AppError(
        'RATE_LIMIT_EXCEEDED',
        `This key has reached its limit of ${limits.perMinuteMax} requests per minute.`,
        {
          retryAfterSeconds: Math.ceil(quota.resetMs / 1000),
        },
      );
    response.locals.inFlight = quota.inFlight;
    response.locals.isOverBudget = quota.isOverBudget;
    response.locals.renewPlace = () => renewQuota(redis, caller, requestId, limits.leaseMs);
    response.locals.waiting = quota.waiting;
    next();
  };
}

function showRate(response: Reply, limits: QuotaLimits, quota: QuotaAnswer): void {
  response.setHeader('X-RateLimit-Limit', limits.perMinuteMax);
  response.setHeader('X-RateLimit-Remaining', quota.remaining);
  response.setHeader('X-RateLimit-Reset', Math.ceil((Date.now() + quota.resetMs) / 1000));
}
