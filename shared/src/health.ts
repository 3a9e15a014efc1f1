/** Less than two seconds, a common timeout of probes. */
const CHECK_MS_MAX = 1_800;

/** Rejects if the check rejects or does not settle within 1.8 s. */
export function within<T>(check: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_MS_MAX);
    check.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Returns whether a check resolves within 1.8 s. */
export async function isUp(check: Promise<unknown>): Promise<'up' | 'down'> {
  return within(check).then(
    () => 'up',
    () => 'down',
  );
}
