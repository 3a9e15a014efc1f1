import { unavailable } from '@scriptorium/contracts/errors';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import { depthKeys } from '@scriptorium/shared/queue/depth';
import { engineTimeOf } from '@scriptorium/shared/queue/reply';
import { runScript, type Script } from '@scriptorium/shared/queue/script';
import type { Redis } from 'ioredis';
import type { KeyOwner } from '../auth/api-keys.ts';
import type { WaitingJobs } from '../http/context.ts';
import type { GatewayConfig } from '../settings/config.ts';
import { SEND_MS_MAX } from '../settings/limits.ts';
import { OVER_BUDGET_PRIORITY, ownerTag } from './owner-share.ts';

const MINUTE_MS = 60_000;
const PLACE_GRACE_MS = 10_000;

/**
 * Takes one slot of a key for a request in flight, and counts the request in its minute. Slots expire, so that the slots of a
 * killed gateway become free. Times come from Redis, so that the clocks of gateways may differ. Also counts the jobs that wait in
 * the queues of the request.
 * KEYS: slots, minute, engine time of the owner or the key. Then for each queue the list and the sorted set of its waiting jobs.
 * ARGV: request id, slots, requests per minute, lease ms, engine ms per minute, priority over budget.
 * Returns: outcome (0 taken, 1 too many in flight, 2 too many per minute), in flight, used this minute, ms to reset. Then whether
 * the owner is over its budget, and for each queue all its waiting jobs and those served before the request. BullMQ's score of
 * a job is its priority times 2^32, plus a counter.
 */
const ACQUIRE: Script = {
  name: 'scriptoriumAdmit',
  lua: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local used = tonumber(redis.call('GET', KEYS[2]) or '0')
local left = redis.call('PTTL', KEYS[2])
if left < 0 then left = ${MINUTE_MS} end
if used >= tonumber(ARGV[3]) then return {2, 0, used, left, 0} end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local inFlight = redis.call('ZCARD', KEYS[1])
if inFlight >= tonumber(ARGV[2]) then return {1, inFlight, used, left, 0} end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[4]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
used = redis.call('INCR', KEYS[2])
if used == 1 then redis.call('PEXPIRE', KEYS[2], ${MINUTE_MS}) end
local over = tonumber(redis.call('GET', KEYS[3]) or '0') >= tonumber(ARGV[5]) and 1 or 0
local answer = {0, inFlight + 1, used, left, over}
local last = (over * ARGV[6] + inFlight + 1) * 4294967296
for i = 4, #KEYS, 2 do
  local first = redis.call('LLEN', KEYS[i])
  answer[#answer + 1] = first + redis.call('ZCARD', KEYS[i + 1])
  answer[#answer + 1] = first + redis.call('ZCOUNT', KEYS[i + 1], '-inf', last)
end
return answer
`,
};

/** Counts one event in a window that starts with the first. KEYS: counter. ARGV: window ms. Returns: count, ms left. */
const COUNT: Script = {
  name: 'scriptoriumCount',
  lua: `
local used = redis.call('INCR', KEYS[1])
if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {used, redis.call('PTTL', KEYS[1])}
`,
};

/** Renews a slot. `XX`: a released slot stays released. KEYS: slots. ARGV: request id, lease ms. */
const RENEW: Script = {
  name: 'scriptoriumRenew',
  lua: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], 'XX', now + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`,
};

/**
 * Counts several events at once, if they fit into their minute: as many as a minute permits always fit into a new one.
 * KEYS: counter. ARGV: events, events per minute. Returns: ms to wait; 0 if they were counted.
 */
const COUNT_ALL: Script = {
  name: 'scriptoriumCountAll',
  lua: `
local used = tonumber(redis.call('GET', KEYS[1]) or '0')
if used > 0 and used + ARGV[1] > tonumber(ARGV[2]) then return math.max(1, redis.call('PTTL', KEYS[1])) end
redis.call('INCRBY', KEYS[1], ARGV[1])
if used == 0 then redis.call('PEXPIRE', KEYS[1], ${MINUTE_MS}) end
return 0
`,
};

export interface QuotaLimits {
  inFlightMax: number;
  perMinuteMax: number;
  /** A slot becomes free after this time even without a release. */
  leaseMs: number;
  /** Processor time of engines per minute that an owner may use before the others come first. */
  engineMsPerMinute: number;
}

/** The limits of keys that have none of their own. */
export function quotaOf(config: GatewayConfig): QuotaLimits {
  return {
    inFlightMax: config.KEY_CONCURRENCY_MAX,
    perMinuteMax: config.KEY_REQUESTS_PER_MINUTE_MAX,
    engineMsPerMinute: 1_000 * config.ENGINE_SECONDS_PER_MINUTE,
    leaseMs: config.DEADLINE_MS + SEND_MS_MAX + PLACE_GRACE_MS,
  };
}

/** Returns the limits of a key: its own, and those of the service for the rest. */
export function limitsOf({ rights }: KeyOwner, ofService: QuotaLimits): QuotaLimits {
  const { requestsInFlight, requestsPerMinute, engineSecondsPerMinute } = rights.limits;
  return {
    leaseMs: ofService.leaseMs,
    inFlightMax: requestsInFlight ?? ofService.inFlightMax,
    perMinuteMax: requestsPerMinute ?? ofService.perMinuteMax,
    engineMsPerMinute:
      engineSecondsPerMinute === undefined ? ofService.engineMsPerMinute : 1_000 * engineSecondsPerMinute,
  };
}

/** Whether the owner has used up its processor time of this minute. */
export async function isOverBudget(redis: Redis, owner: KeyOwner, ofService: QuotaLimits): Promise<boolean> {
  const spentMs = await redis.get(engineTimeOf(ownerTag(owner))).catch(unavailable('queue'));
  return Number(spentMs) >= limitsOf(owner, ofService).engineMsPerMinute;
}

export interface QuotaAnswer {
  outcome: 'taken' | 'concurrency' | 'rate';
  /** Requests of this caller in flight, including this one. */
  inFlight: number;
  remaining: number;
  resetMs: number;
  isOverBudget: boolean;
  /** By queue. Empty for a refused request. */
  waiting: Record<string, WaitingJobs>;
}

/** Takes a slot for a request, and counts the waiting jobs of `queues`. */
export async function acquireQuota(
  redis: Redis,
  owner: KeyOwner,
  requestId: string,
  limits: QuotaLimits,
  queues: readonly string[],
): Promise<QuotaAnswer> {
  const caller = owner.id;
  const lists = queues.map(depthKeys).flatMap(({ wait, prioritized }) => [wait, prioritized]);
  const [outcome, inFlight, used, resetMs, isOver, ...lengths] = (await runScript(
    redis,
    ACQUIRE,
    [placesOf(caller), `${KEY_PREFIX}:rate:${caller}`, engineTimeOf(ownerTag(owner)), ...lists],
    [
      requestId,
      limits.inFlightMax,
      limits.perMinuteMax,
      limits.leaseMs,
      limits.engineMsPerMinute,
      OVER_BUDGET_PRIORITY,
    ],
  )) as [0 | 1 | 2, number, number, number, 0 | 1, ...number[]];
  return {
    outcome: (['taken', 'concurrency', 'rate'] as const)[outcome],
    inFlight,
    remaining: Math.max(0, limits.perMinuteMax - used),
    resetMs,
    isOverBudget: isOver === 1,
    waiting: Object.fromEntries(
      queues.flatMap((queue, at) => {
        const [all, before] = lengths.slice(2 * at);
        return all === undefined || before === undefined ? [] : [[queue, { all, before }]];
      }),
    ),
  };
}

export async function releaseQuota(redis: Redis, caller: string, requestId: string): Promise<void> {
  await redis.zrem(placesOf(caller), requestId);
}

/** Extends the lease of a slot, from now. */
export async function renewQuota(
  redis: Redis,
  caller: string,
  requestId: string,
  leaseMs: number,
): Promise<void> {
  await runScript(redis, RENEW, [placesOf(caller)], [requestId, leaseMs]);
}

/** Counts rows of a caller in their minute. Returns 0, or the milliseconds after which to try again. */
export async function takeRows(
  redis: Redis,
  caller: string,
  rows: number,
  perMinuteMax: number,
): Promise<number> {
  const counter = `${KEY_PREFIX}:rows:${caller}`;
  return (await runScript(redis, COUNT_ALL, [counter], [rows, perMinuteMax])) as number;
}

/** Counts one event of `name` and returns whether it is within `max` for the window. */
export async function countWithin(
  redis: Redis,
  name: string,
  max: number,
  windowMs: number,
): Promise<{ within: boolean; resetMs: number }> {
  const counted = await runScript(redis, COUNT, [`${KEY_PREFIX}:count:${name}`], [windowMs]);
  const [used, resetMs] = counted as [number, number];
  return { within: used <= max, resetMs };
}

const placesOf = (caller: string): string => `${KEY_PREFIX}:places:${caller}`;
