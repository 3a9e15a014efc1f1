import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './connection.ts';

/** Number of prioritized jobs to search for the oldest one, since they are not sorted by age. */
const SEARCHED_MAX = 1_000;

/** Job counts of a queue, named as the keys of BullMQ. */
export interface QueueDepth {
  /** Jobs without a priority. */
  wait: number;
  prioritized: number;
  active: number;
  /** Wait of the oldest job that no worker has started, seconds. 0 if there is none. */
  oldestSeconds: number;
}

/** Returns the keys with the jobs of a queue: two lists, and a sorted set for `prioritized`. */
export function depthKeys(queue: string): Record<'wait' | 'prioritized' | 'active', string> {
  const keyOf = (state: string): string => `${KEY_PREFIX}:${queue}:${state}`;
  return { wait: keyOf('wait'), prioritized: keyOf('prioritized'), active: keyOf('active') };
}

export async function readDepth(redis: Redis, queue: string): Promise<QueueDepth> {
  const keys = depthKeys(queue);
  const [wait, prioritized, active, first, others] = await Promise.all([
    redis.llen(keys.wait),
    redis.zcard(keys.prioritized),
    redis.llen(keys.active),
    redis.lindex(keys.wait, -1),
    redis.zrange(keys.prioritized, 0, `${SEARCHED_MAX - 1}`),
  ]);
  const waiting = first === null ? others : [first, ...others];
  const times = await Promise.all(
    waiting.map((id) => redis.hget(`${KEY_PREFIX}:${queue}:${id}`, 'timestamp')),
  );
  const now = Date.now();
  const agesMs = times.flatMap((time) => (time === null ? [] : [now - Number(time)]));
  return { wait, prioritized, active, oldestSeconds: Math.max(0, ...agesMs) / 1000 };
}
