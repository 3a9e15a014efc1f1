import { orLate } from './or-late.ts';

/** Less than two seconds, a common timeout of probes. */
const CHECK_MS_MAX = 1_800;

/** Rejects if the check rejects or does not settle within 1.8 s. */
export function within<T>(check: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    check.then(resolve, reject);
    orLate(check, CHECK_MS_MAX, () => reject(new Error('no answer in time'))).catch(() => undefined);
  });
}

/** Returns whether a check resolves within 1.8 s. */
export async function isUp(check: Promise<unknown>): Promise<'up' | 'down'> {
  return within(check).then(
    () => 'up',
    () => 'down',
  );
}
