/** Less than the two seconds after which probes give up by habit. */
const CHECK_MS_MAX = 1_800;

/** Rejects where the check does, or has not answered within 1.8 s. */
export function within<T>(check: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_MS_MAX);
    check.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Whether a check resolves within 1.8 s. */
export async function isUp(check: Promise<unknown>): Promise<'up' | 'down'> {
  return within(check).then(
    () => 'up',
    () => 'down',
  );
}
