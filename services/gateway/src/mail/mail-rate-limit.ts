import { AppError } from '@scriptorium/contracts/errors';
import { KEY_PREFIX } from '@scriptorium/shared/queue/connection';
import type { Redis } from 'ioredis';
import { countWithin } from '../limits/quota.ts';

const HOUR_MS = 3_600_000;
/** Codes to one mailbox that one client network may ask for. */
const CODES_PER_HOUR_MAX = 3;
const CODES_PER_DAY_MAX = 10;
/** Codes to one mailbox that all networks together may ask for. */
const MAILBOX_CODES_PER_HOUR_MAX = 12;
const MAILBOX_CODES_PER_DAY_MAX = 30;
const TOTAL = 'mails-total';

/** Decides which codes are mailed. */
export interface MailRate {
  /**
   * Counts a code for a mailbox and returns whether it is within the limits of the network that asks for it, and of the mailbox.
   * A rejected code does not count for the later limits: a stranger cannot use up the mails of an address. Throws OVERLOADED
   * for every address once all mails have reached their limit.
   */
  take(mailbox: string, network: string): Promise<boolean>;
}

/** `stopped` is called for each registration that is refused since all mails have reached `totalPerHourMax`. */
export function createMailRate(redis: Redis, totalPerHourMax: number, stopped: () => void): MailRate {
  const isWithin = async (name: string, max: number, windowMs: number): Promise<boolean> =>
    (await countWithin(redis, name, max, windowMs)).within;
  return {
    async take(mailbox, network) {
      // First, so that the answer does not depend on the address.
      await refuseBeyond(redis, totalPerHourMax, stopped);
      const asker = `${mailbox}:${network}`;
      const isWithinAll =
        (await isWithin(`mails-hour:${asker}`, CODES_PER_HOUR_MAX, HOUR_MS)) &&
        (await isWithin(`mails-day:${asker}`, CODES_PER_DAY_MAX, 24 * HOUR_MS)) &&
        (await isWithin(`mails-hour:${mailbox}`, MAILBOX_CODES_PER_HOUR_MAX, HOUR_MS)) &&
        (await isWithin(`mails-day:${mailbox}`, MAILBOX_CODES_PER_DAY_MAX, 24 * HOUR_MS));
      return isWithinAll && (await isWithin(TOTAL, totalPerHourMax, HOUR_MS));
    },
  };
}

async function refuseBeyond(redis: Redis, totalPerHourMax: number, stopped: () => void): Promise<void> {
  const name = `${KEY_PREFIX}:count:${TOTAL}`;
  const sent = Number((await redis.get(name)) ?? 0);
  if (sent < totalPerHourMax) return;
  stopped();
  const retryAfterSeconds = Math.max(1, Math.ceil((await redis.pttl(name)) / 1000));
  throw new AppError('OVERLOADED', 'The service has sent too many mails in the last hour.', {
    retryAfterSeconds,
  });
}
