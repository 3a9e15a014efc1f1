import { untilAborted } from './bounded.ts';

/** One for a job that follows at once, while the other one is replaced. */
const COUNT = 2;

/** Children that wait for a job, in the order in which they were started. */
export class Spares<Child extends { isGone: boolean }> {
  readonly #start: () => Promise<Child>;
  readonly #waiting: Promise<Child>[] = [];

  constructor(start: () => Promise<Child>) {
    this.#start = start;
  }

  /** Starts those that are missing. Returns the oldest one. */
  prepare(): Promise<Child> {
    while (this.#waiting.length < COUNT) {
      const spare = this.#start();
      this.#waiting.push(spare);
      // The next job tries again: the obstacle may have disappeared.
      spare.catch(() => this.#drop(spare));
    }
    return this.#waiting[0] as Promise<Child>;
  }

  /**
   * Takes one that is alive. Rejects as a start does, and when the signal is aborted. An earlier start may have failed for
   * a reason that is gone, so only a new one counts.
   */
  async take(signal: AbortSignal): Promise<Child> {
    for (const earlier of [...this.#waiting]) {
      const spare = await untilAborted(earlier, signal).catch((error) => {
        if (signal.aborted) throw error;
      });
      this.#drop(earlier);
      if (spare !== undefined && !spare.isGone) return spare;
    }
    const fresh = this.prepare();
    const spare = await untilAborted(fresh, signal);
    this.#drop(fresh);
    return spare.isGone ? await this.take(signal) : spare;
  }

  #drop(spare: Promise<Child>): void {
    const at = this.#waiting.indexOf(spare);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
