import type { BatchHead } from '../requests/batch-request.ts';
import type { Outcome, RowError } from './pack-client.ts';
import { Place, type Position } from './place.ts';
import type { WaysSummary } from './ways.ts';

/** The number of rows, of those with a document, and of those with an error. */
export interface Summary {
  rows: number;
  done: number;
  failed: number;
  ways?: WaysSummary;
}

/** How a batch ended: with all rows, or with a reason and the place at which the caller can go on. */
export type BatchEnd =
  | { summary: Summary }
  | {
      error: RowError;
      /** The first row without an answer. */
      nextIndex: number;
      /** Later rows with an answer. */
      answered?: number[];
      /** The row whose failure ended the batch. */
      failedIndex?: number;
    };

/** Where the answers of a batch go. */
export interface BatchOutput {
  /** Nothing is answered before the end, so that no row counts if the batch fails. */
  isWhole?: boolean;
  /** Makes an outcome ready to be written: a document that the store has lost becomes an error. */
  load(outcome: Outcome): Promise<Outcome>;
  /** Resolves when the caller has taken enough of what was written. */
  row(outcome: Outcome): Promise<void>;
  end(end: BatchEnd): Promise<void>;
  /** Resolves while no answer waits for the caller. */
  unblocked(): Promise<void>;
}

export interface OutcomeEvents {
  written(outcome: Outcome): void;
  /** An outcome could not be written: the caller has left. */
  failed(error: unknown): void;
}

/** Passes outcomes on in the order that the caller asked for, one at a time. */
export class Outcomes {
  readonly #output: BatchOutput;
  readonly #order: BatchHead['options']['order'];
  readonly #events: OutcomeEvents;
  /** Outcomes that wait for earlier rows. */
  readonly #early = new Map<number, Outcome>();
  readonly #place: Place;
  /** Rows that were passed on in order. */
  #sent = 0;
  #tail: Promise<void> = Promise.resolve();
  #counts: Summary = { rows: 0, done: 0, failed: 0 };

  /** `start` is where a batch goes on, in the order `finished`. */
  constructor(
    output: BatchOutput,
    order: BatchHead['options']['order'],
    events: OutcomeEvents,
    start?: Position,
  ) {
    this.#place = new Place(start);
    this.#output = output;
    this.#order = order;
    this.#events = events;
  }

  get summary(): Summary {
    return { ...this.#counts };
  }

  /** Where to go on. */
  get position(): { nextIndex: number; answered?: number[] } {
    const { nextIndex, answered } = this.#place.position;
    return { nextIndex, ...(answered.length > 0 && { answered }) };
  }

  put(outcome: Outcome): void {
    if (this.#order === 'finished') {
      this.#write(outcome);
      return;
    }
    this.#early.set(outcome.row.index, outcome);
    for (;;) {
      const next = this.#early.get(this.#sent);
      if (next === undefined) return;
      this.#early.delete(this.#sent);
      this.#sent += 1;
      this.#write(next);
    }
  }

  /** Resolves when all outcomes have been written. Rejects if one could not be. */
  async written(): Promise<void> {
    await this.#tail;
  }

  #write(outcome: Outcome): void {
    this.#tail = this.#tail.then(async () => {
      const loaded = await this.#output.load(outcome);
      await this.#output.row(loaded);
      this.#counts.rows += 1;
      this.#counts['error' in loaded ? 'failed' : 'done'] += 1;
      this.#place.pass(outcome.row.index);
      this.#events.written(loaded);
    });
    this.#tail.catch(this.#events.failed);
  }
}
