import { EngineError } from '../engine.ts';

interface Waiter<T> {
  resolve: (item: T) => void;
  reject: (error: EngineError) => void;
}

/** Lends each item to one caller at a time, first come, first served. */
export class Pool<T> {
  readonly #idle: T[] = [];
  readonly #waiters = new Set<Waiter<T>>();

  get waiting(): number {
    return this.#waiters.size;
  }

  /** Gives an item, new or used, to whoever has waited longest. */
  put(item: T): void {
    const [waiter] = this.#waiters;
    if (waiter === undefined) {
      this.#idle.push(item);
      return;
    }
    this.#waiters.delete(waiter);
    waiter.resolve(item);
  }

  /** Withdraws an idle item for good. */
  remove(item: T): void {
    const at = this.#idle.indexOf(item);
    if (at >= 0) this.#idle.splice(at, 1);
  }

  /** The next free item. Rejects with `aborted` when the signal fires first. */
  take(signal: AbortSignal): Promise<T> {
    if (signal.aborted) return Promise.reject(new EngineError('aborted', 'aborted before a start'));
    const item = this.#idle.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiters.delete(waiter);
        reject(new EngineError('aborted', 'aborted while waiting for an engine'));
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

  /** Sends everyone who waits away. */
  rejectAll(error: EngineError): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }
}
