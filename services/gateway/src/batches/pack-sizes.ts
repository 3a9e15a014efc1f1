import { PACK_ROWS_MAX } from '@scriptorium/contracts/jobs/rows';

const ROWS_FIRST = 4;
const GROWTH = 4;
/** A pack should not take longer: its rows are answered together, and a killed worker loses all of it. */
const PACK_MS = 4_000;
/** Documents of one pack: they are in memory at a time. */
const PACK_RESULT_BYTES = 4 * 1024 * 1024;
/** Rows of one pack, as they were received. */
export const PACK_INPUT_BYTES = 1024 * 1024;
const MEAN_WEIGHT = 0.3;

/** Decides how many rows a pack has: few at first, then as many as their time and their size permit. */
export class PackSizes {
  #rows = ROWS_FIRST;
  #rowMs = 0;
  #rowBytes = 0;

  get rows(): number {
    return this.#rows;
  }

  /** Learns from a pack that was answered. */
  learn({ rows, ms, bytes }: { rows: number; ms: number; bytes: number }): void {
    if (rows === 0) return;
    this.#rowMs = mean(this.#rowMs, ms / rows);
    this.#rowBytes = mean(this.#rowBytes, bytes / rows);
    const fitting = Math.min(
      PACK_ROWS_MAX,
      PACK_MS / Math.max(this.#rowMs, 1),
      PACK_RESULT_BYTES / Math.max(this.#rowBytes, 1),
      this.#rows * GROWTH,
    );
    this.#rows = Math.max(1, Math.floor(fitting));
  }
}

const mean = (before: number, now: number): number =>
  before === 0 ? now : before + (now - before) * MEAN_WEIGHT;
