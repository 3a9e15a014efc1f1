/** Limits concurrency to a total and to one per key, so that a key with many calls does not delay the others. */
export interface KeyedLimiter {
  /** Runs `work` once both limits permit it. Rejects with the reason of the signal if that fires first. */
  run<Result>(key: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

interface Waiter {
  key: string;
  begin(): void;
}

export function createKeyedLimiter(concurrencyMax: number): KeyedLimiter {
  const working = new Set<string>();
  const waiting = new Set<Waiter>();

  const beginNext = (): void => {
    for (const waiter of waiting) {
      if (working.size >= concurrencyMax) return;
      if (working.has(waiter.key)) continue;
      waiting.delete(waiter);
      working.add(waiter.key);
      waiter.begin();
    }
  };
  const moveToEnd = (key: string): void => {
    for (const waiter of [...waiting].filter((candidate) => candidate.key === key)) {
      waiting.delete(waiter);
      waiting.add(waiter);
    }
  };
  const wait = (key: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const abort = () => {
        waiting.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        key,
        begin() {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      waiting.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
      beginNext();
    });
  return {
    async run(key, signal, work) {
      signal.throwIfAborted();
      await wait(key, signal);
      try {
        return await work();
      } finally {
        working.delete(key);
        moveToEnd(key);
        beginNext();
      }
    },
  };
}
