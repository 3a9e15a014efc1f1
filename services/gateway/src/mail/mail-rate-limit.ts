import type { Redis } from 'ioredis';
import { countWithin } from '../quota.ts';

const HOUR_MS = 3_600_000;
const CODES_PER_HOUR_MAX = 3;
const CODES_PER_DAY_MAX = 10;

/** Counts a code for the mailbox and returns whether it is within the rate limit. A rejected code does not count per day. */
export async function takeMailRate(redis: Redis, mailbox: string): Promise<boolean> {
  const hour = await countWithin(redis, `mails-hour:${mailbox}`, CODES_PER_HOUR_MAX, HOUR_MS);
  if (!hour.within) return false;
  const day = await countWithin(redis, `mails-day:${mailbox}`, CODES_PER_DAY_MAX, 24 * HOUR_MS);
  return day.within;
}
