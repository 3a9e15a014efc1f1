import { untilAborted } from '../bounded.ts';

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
      this.#keep(this.#start());
    }
    return this.#waiting[0] as Promise<Child>;
  }

  /**
   * Takes one that is alive, and that no other caller gets. Rejects as a start does, and when the signal is aborted. An
   * earlier start may have failed for a reason that is gone, so only a new one counts.
   */
  async take(signal: AbortSignal): Promise<Child> {
    for (let earlier = this.#waiting.shift(); earlier !== undefined; earlier = this.#waiting.shift()) {
      const spare = await this.#claim(earlier, signal).catch((error) => {
        if (signal.aborted) throw error;
      });
      if (spare !== undefined && !spare.isGone) return spare;
    }
    const spare = await this.#claim(this.#start(), signal);
    return spare.isGone ? await this.take(signal) : spare;
  }

  /** A caller that leaves meanwhile does not need it, so it waits for the next one. */
  async #claim(spare: Promise<Child>, signal: AbortSignal): Promise<Child> {
    try {
      return await untilAborted(spare, signal);
    } catch (error) {
      if (signal.aborted) this.#keep(spare);
      throw error;
    }
  }

  /** Returns those that wait or start, which are no longer here. */
  release(): Promise<Child>[] {
    return this.#waiting.splice(0);
  }

  #keep(spare: Promise<Child>): void {
    this.#waiting.push(spare);
    // The next job tries again: the obstacle may have disappeared.
    spare.catch(() => this.#drop(spare));
  }

  #drop(spare: Promise<Child>): void {
    const at = this.#waiting.indexOf(spare);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
