import { AppError, unavailable } from '@scriptorium/shared/errors';
import { countWithin } from '@scriptorium/shared/queue/quota';
import type { Redis } from 'ioredis';
import type { Middleware } from '../context.ts';

const HOUR_MS = 3_600_000;

/** A /64 for IPv6: one subscriber has that many addresses. */
export function networkOf(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/** Bounds what one client address may ask of the operations that need no key. */
export function admitClient(redis: Redis, perHourMax: number, purpose: string): Middleware {
  return async (request, _response, next) => {
    const name = `${purpose}:${networkOf(request.ip ?? '')}`;
    const count = await countWithin(redis, name, perHourMax, HOUR_MS).catch(unavailable('queue'));
    if (!count.within)
      throw new AppError(
        'RATE_LIMIT_EXCEEDED',
        `From one address, ${perHourMax} such requests an hour are taken.`,
        { retryAfterSeconds: Math.ceil(count.resetMs / 1000) },
      );
    next();
  };
}
