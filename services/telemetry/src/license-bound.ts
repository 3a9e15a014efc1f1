import { AppError } from '@scriptorium/shared/errors';

const MINUTE_MS = 60_000;
/** Licenses that are told apart in a minute; those beyond share one bound, for anybody can make some up. */
const LICENSES_MAX = 20_000;
const OTHERS = '';

/** Bounds what one license has counted in a minute, registered or not. */
export interface LicenseBound {
  /** Throws RATE_LIMIT_EXCEEDED. */
  take(license: string, events: number): void;
}

/** Of this collector alone: two of them take twice as much. `clock` is in epoch milliseconds. */
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
          `At most ${perMinuteMax} events a minute are taken for one license.`,
          { retryAfterSeconds: Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000) },
        );
      taken.set(name, sum);
    },
  };
}
