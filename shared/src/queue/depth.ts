import type { Redis } from 'ioredis';
import { KEY_PREFIX } from './connection.ts';

/** Of those that wait by priority, the oldest of so many of the first: one that came last may be served first. */
const LOOKED_AT_MAX = 1_000;

/** What is in a queue. The names are those of BullMQ's keys. */
export interface QueueDepth {
  /** Without a priority. */
  wait: number;
  prioritized: number;
  active: number;
  /** How long the oldest of those that nobody has begun has waited, seconds; 0 where there is none. */
  oldestSeconds: number;
}

/** The keys that hold a queue's jobs: two lists, and a sorted set for `prioritized`. */
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
    redis.zrange(keys.prioritized, 0, `${LOOKED_AT_MAX - 1}`),
  ]);
  const waiting = first === null ? others : [first, ...others];
  const times = await Promise.all(
    waiting.map((id) => redis.hget(`${KEY_PREFIX}:${queue}:${id}`, 'timestamp')),
  );
  const now = Date.now();
  const agesMs = times.flatMap((time) => (time === null ? [] : [now - Number(time)]));
  return { wait, prioritized, active, oldestSeconds: Math.max(0, ...agesMs) / 1000 };
}
