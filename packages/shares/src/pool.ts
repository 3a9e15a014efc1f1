export interface TakeOptions<T> {
  /** If several items are free, one for which it returns true is taken. */
  isPreferred?: (item: T) => boolean;
  /** A patient caller waits until no other caller waits. */
  isPatient?: boolean;
}

/** Lends each item to one caller at a time, in order of arrival; patient callers come last. */
export class Pool<T> {
  readonly #idle: T[] = [];
  readonly #waiters = new Set<PromiseWithResolvers<T>>();
  readonly #patient = new Set<PromiseWithResolvers<T>>();
  readonly #aborted: (message: string) => Error;

  /** `aborted` makes the error for a caller whose wait is aborted. */
  constructor(aborted: (message: string) => Error) {
    this.#aborted = aborted;
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  /** The callers that wait, except patient ones. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Gives a new or returned item to the caller that has waited longest. */
  put(item: T): void {
    const waiters = this.#waiters.size > 0 ? this.#waiters : this.#patient;
    const [waiter] = waiters;
    if (waiter === undefined) {
      this.#idle.push(item);
      return;
    }
    waiters.delete(waiter);
    waiter.resolve(item);
  }

  /** Removes an idle item permanently. Returns false if it is not idle. */
  remove(item: T): boolean {
    const at = this.#idle.indexOf(item);
    if (at >= 0) this.#idle.splice(at, 1);
    return at >= 0;
  }

  /** Takes the next free item. Rejects if the signal fires first. */
  take(
    signal: AbortSignal,
    { isPreferred = () => false, isPatient = false }: TakeOptions<T> = {},
  ): Promise<T> {
    if (signal.aborted) return Promise.reject(this.#aborted('aborted before a start'));
    const [item] = this.#idle.splice(Math.max(0, this.#idle.findIndex(isPreferred)), 1);
    if (item !== undefined) return Promise.resolve(item);
    const waiters = isPatient ? this.#patient : this.#waiters;
    const waiter = Promise.withResolvers<T>();
    const onAbort = () => {
      waiters.delete(waiter);
      waiter.reject(this.#aborted('aborted while waiting'));
    };
    waiters.add(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    return waiter.promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /** Rejects all waiting callers. */
  rejectAll(error: Error): void {
    for (const waiters of [this.#waiters, this.#patient]) {
      for (const waiter of waiters) waiter.reject(error);
      waiters.clear();
    }
  }
}
