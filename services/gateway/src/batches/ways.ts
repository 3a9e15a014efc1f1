import type { PlainReason } from '@scriptorium/contracts/jobs/rows';
import type { PackFacts } from './attempts.ts';
import type { Way } from './pack-client.ts';

/** Rows after which one pack is compared again. */
const CHECKED_EACH_ROWS = 2_000;
/** Rows of a pack that is compared. */
const CHECKED_ROWS = 4;

/** After so many comparisons without a row for the fast way, packs have their full size: their rows are likely plain. */
const TRIALS = 2;

/** Kinds of rows that are remembered as compared. A batch with more has some compared again. */
const CHECKED_MAX = 500;

/** How the rows of a batch were made: the number of each, and why rows were made in the plain way. */
export interface WaysSummary {
  fast: number;
  plain: number;
  reasons: Partial<Record<PlainReason, number>>;
}

/** Chooses the way of each pack: fast only after rows of this batch were made in both ways and were the same. */
export class Ways {
  #state: 'unknown' | 'comparing' | 'same' | 'different' | 'refused' = 'unknown';
  #unchecked = 0;
  #trials = 0;
  readonly #checked = new Set<string>();
  readonly #summary: WaysSummary = { fast: 0, plain: 0, reasons: {} };

  /** The kinds of rows that have been compared. */
  get checked(): string[] {
    return [...this.#checked];
  }

  get summary(): WaysSummary {
    return this.#summary;
  }

  /** Why a pack is plain that is sent now. */
  get plainReason(): PlainReason {
    if (this.#state === 'different') return 'different';
    return this.#state === 'refused' ? 'template' : 'compared';
  }

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
  learn(
    way: Way,
    { compared, checked = [], isRefused }: Pick<PackFacts, 'compared' | 'checked' | 'isRefused'>,
  ): void {
    if (this.#checked.size < CHECKED_MAX) for (const kind of checked) this.#checked.add(kind);
    if (compared === 'different') this.#state = 'different';
    else if (isRefused && this.#state !== 'different') this.#state = 'refused';
    else if (way === 'both' && this.#state !== 'different' && this.#state !== 'refused')
      this.#state = compared ?? this.#undecided();
  }

  /** Counts the documents of a pack. `plain` has a reason for each row that was made in the plain way. */
  count(done: number, plain: readonly PlainReason[]): void {
    const counted = plain.slice(0, done);
    this.#summary.fast += done - counted.length;
    this.#summary.plain += counted.length;
    for (const reason of counted) this.#summary.reasons[reason] = (this.#summary.reasons[reason] ?? 0) + 1;
  }

  #undecided(): 'unknown' | 'same' {
    return this.#state === 'same' ? 'same' : 'unknown';
  }
}
