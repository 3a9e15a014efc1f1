import { AppError } from '@scriptorium/contracts/errors';

const MINUTE_MS = 60_000;
/** Licenses with a limit of their own in a minute. Further ones share one limit, since callers can invent license keys. */
const LICENSES_MAX = 20_000;
const OTHERS = '';

/** Limits the opens of one license per minute, registered or not. */
export interface LicenseBound {
  /** Throws RATE_LIMIT_EXCEEDED. */
  take(license: string, events: number): void;
}

/** The limit applies per collector. `clock` returns epoch milliseconds. */
export function licenseBound(perMinuteMax: number, clock: () => number = Date.now): LicenseBound {
  let minute = 0;
  const taken = new Map<string, number>();
  return {
    take(license, events) {
      const now = clock();
      if (Math.floor(now / MINUTE_MS) !== minute) {
        minute = Math.floor(now / MINUTE_MS);
        taken.clear();
      }
      const name = taken.has(license) || taken.size < LICENSES_MAX ? license : OTHERS;
      const sum = (taken.get(name) ?? 0) + events;
      if (sum > perMinuteMax)
        throw new AppError(
          'RATE_LIMIT_EXCEEDED',
          `The limit is ${perMinuteMax} events per minute for one license.`,
          { retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000) },
        );
      taken.set(name, sum);
    },
  };
}
