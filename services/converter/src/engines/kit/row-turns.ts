import { untilAborted } from '../bounded.ts';

const SHARED_MS = 3_000;

/** Bounds the rows that run at a time: while single documents are about, one engine of several is left to them. */
export class RowTurns {
  readonly #engines: number;
  readonly #sharedMs: number;
  #running = 0;
  #documentAt = Number.NEGATIVE_INFINITY;
  #next = Promise.withResolvers<void>();

  /** `sharedMs` is how long a single document counts. */
  constructor(engines: number, sharedMs = SHARED_MS) {
    this.#engines = engines;
    this.#sharedMs = sharedMs;
  }

  /** A single document has come. */
  noteDocument(): void {
    this.#documentAt = performance.now();
  }

  /** Waits for a turn. Rejects with `aborted`. Returns what ends the turn. */
  async enter(signal: AbortSignal): Promise<() => void> {
    while (this.#running >= this.#runningMax) await untilAborted(this.#next.promise, signal);
    this.#running++;
    return () => this.#leave();
  }

  get #runningMax(): number {
    const isShared = performance.now() - this.#documentAt < this.#sharedMs;
    return isShared ? Math.max(1, this.#engines - 1) : this.#engines;
  }

  #leave(): void {
    this.#running--;
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  }
}
