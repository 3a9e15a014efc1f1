/** A pause of the process, however long, uses up one of them. */
const SLICES = 5;

/**
 * Waits for the promise, and calls `onLate` if it has not settled within that time. Only time counts in which this process could
 * work: after a pause, it has first to send and to read, and timers come before both.
 */
export async function orLate(promise: Promise<unknown>, ms: number, onLate: () => void): Promise<void> {
  let isSettled = false;
  let left = SLICES;
  let timer = setTimeout(endSlice, ms / SLICES);
  function endSlice(): void {
    left -= 1;
    if (left > 0) timer = setTimeout(endSlice, ms / SLICES);
    else setImmediate(() => !isSettled && onLate());
  }
  try {
    await promise;
  } finally {
    isSettled = true;
    clearTimeout(timer);
  }
}
