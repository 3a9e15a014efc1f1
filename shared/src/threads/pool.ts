interface Waiter<T> {
  resolve: (item: T) => void;
  reject: (error: Error) => void;
}

/** Lends each item to one caller at a time, in order of arrival. */
export class Pool<T> {
  readonly #idle: T[] = [];
  readonly #waiters = new Set<Waiter<T>>();
  readonly #aborted: (message: string) => Error;

  /** `aborted` makes the error for a caller whose wait is aborted. */
  constructor(aborted: (message: string) => Error) {
    this.#aborted = aborted;
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Gives a new or returned item to the caller that has waited longest. */
  put(item: T): void {
    const [waiter] = this.#waiters;
    if (waiter === undefined) {
      this.#idle.push(item);
      return;
    }
    this.#waiters.delete(waiter);
    waiter.resolve(item);
  }

  /** Removes an idle item permanently. */
  remove(item: T): void {
    const at = this.#idle.indexOf(item);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** Takes the next free item, if possible a preferred one. Rejects if the signal fires first. */
  take(signal: AbortSignal, isPreferred: (item: T) => boolean = () => false): Promise<T> {
    if (signal.aborted) return Promise.reject(this.#aborted('aborted before a start'));
    const [item] = this.#idle.splice(Math.max(0, this.#idle.findIndex(isPreferred)), 1);
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.delete(waiter);
        reject(this.#aborted('aborted while waiting'));
      };
      const settle =
        <A>(action: (value: A) => void) =>
        (value: A) => {
          signal.removeEventListener('abort', onAbort);
          action(value);
        };
      const waiter: Waiter<T> = { resolve: settle(resolve), reject: settle(reject) };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Rejects all waiting callers. */
  rejectAll(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }
}
