/**
 * Waits for the promise, and calls `onLate` if it has not settled within that time. What has arrived by then counts, even if
 * this process was too busy to read it: timers come before input.
 */
export async function orLate(promise: Promise<unknown>, ms: number, onLate: () => void): Promise<void> {
  let isSettled = false;
  const timer = setTimeout(() => setImmediate(() => !isSettled && onLate()), ms);
  try {
    await promise;
  } finally {
    isSettled = true;
    clearTimeout(timer);
  }
}
