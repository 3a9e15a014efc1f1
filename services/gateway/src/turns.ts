/** Lets few work at a time, of each name one: who asks for much waits behind himself, and lets others pass. */
export interface Turns {
  /** Runs `work` when it is its turn. Rejects with the signal's reason where that fires before. */
  take<Result>(name: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
}

interface Waiter {
  name: string;
  begin(): void;
}

export function createTurns(atOnceMax: number): Turns {
  const working = new Set<string>();
  const waiting = new Set<Waiter>();

  const callNext = (): void => {
    for (const waiter of waiting) {
      if (working.size >= atOnceMax) return;
      if (working.has(waiter.name)) continue;
      waiting.delete(waiter);
      working.add(waiter.name);
      waiter.begin();
    }
  };
  const letOthersPass = (name: string): void => {
    for (const waiter of [...waiting].filter((one) => one.name === name)) {
      waiting.delete(waiter);
      waiting.add(waiter);
    }
  };
  const wait = (name: string, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        waiting.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        name,
        begin() {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      waiting.add(waiter);
      signal.addEventListener('abort', leave, { once: true });
      callNext();
    });
  return {
    async take(name, signal, work) {
      signal.throwIfAborted();
      await wait(name, signal);
      try {
        return await work();
      } finally {
        working.delete(name);
        letOthersPass(name);
        callNext();
      }
    },
  };
}
