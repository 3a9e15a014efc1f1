import type { FinishedRows } from '@scriptorium/contracts/jobs/rows';
import type { Way } from './pack-client.ts';

/** Rows after which one pack is compared again. */
const CHECKED_EACH_ROWS = 2_000;
/** Rows of a pack that is compared. */
const CHECKED_ROWS = 4;

/** After so many comparisons without a row for the fast way, packs have their full size: their rows are likely plain. */
const TRIALS = 2;

/** Chooses the way of each pack: fast only after rows of this batch were made in both ways and were the same. */
export class Ways {
  #state: 'unknown' | 'comparing' | 'same' | 'different' | 'refused' = 'unknown';
  #unchecked = 0;
  #trials = 0;

  /** Whether the next pack should wait for a comparison, which may show that it costs a fraction. */
  get isComparing(): boolean {
    return this.#state === 'comparing';
  }

  /** Returns the way of the next pack, and the most rows that it may have. */
  next(rowsMax: number): { way: Way; rowsMax: number } {
    if (this.#state !== 'unknown' && this.#state !== 'same') return { way: 'plain', rowsMax };
    if (this.#state === 'unknown')
      return { way: 'both', rowsMax: this.#trials < TRIALS ? Math.min(rowsMax, CHECKED_ROWS) : rowsMax };
    return this.#unchecked >= CHECKED_EACH_ROWS
      ? { way: 'both', rowsMax: Math.min(rowsMax, CHECKED_ROWS) }
      : { way: 'fast', rowsMax };
  }

  /** To be called for each pack that is sent. */
  sent(way: Way, rows: number): void {
    this.#unchecked = way === 'both' ? 0 : this.#unchecked + rows;
    if (way !== 'both' || this.#state !== 'unknown') return;
    this.#trials += 1;
    if (this.#trials <= TRIALS) this.#state = 'comparing';
  }

  /** To be called with the outcome of each pack. */
  learn(way: Way, compared: FinishedRows['compared'] | 'refused'): void {
    if (compared === 'different' || compared === 'refused') this.#state = compared;
    else if (way === 'both' && this.#state !== 'different' && this.#state !== 'refused')
      this.#state = compared ?? this.#undecided();
  }

  #undecided(): 'unknown' | 'same' {
    return this.#state === 'same' ? 'same' : 'unknown';
  }
}
