import type { Io } from './io.ts';

const DRAW_MS = 100;
const BAR_CHARS = 24;

/** A line on a terminal that shows how far the work is. Elsewhere it shows nothing. */
export class Progress {
  readonly #stderr: Io['stderr'];
  readonly #total: number | undefined;
  readonly #start = Date.now();
  #drawn = 0;

  /** Without a total, only the count is shown. */
  constructor({ stderr }: Pick<Io, 'stderr'>, total: number | undefined) {
    this.#stderr = stderr;
    this.#total = total;
  }

  /** Draws the line, at most ten times a second. `before` of `done` took no time. */
  show(done: number, failed: number, before = 0, isLast = false): void {
    const now = Date.now();
    if (!this.#stderr.isTTY || (!isLast && now - this.#drawn < DRAW_MS)) return;
    this.#drawn = now;
    const seconds = (now - this.#start) / 1_000;
    const rate = seconds > 0 ? (done - before) / seconds : 0;
    const line = lineOf({ done, failed, total: this.#total, rate });
    this.#stderr.write(`\r\u001b[2K${line.slice(0, (this.#stderr.columns ?? 80) - 1)}`);
  }

  /** Draws the line a last time, and leaves it on the terminal. */
  end(done: number, failed: number, before = 0): void {
    this.show(done, failed, before, true);
    if (this.#stderr.isTTY) this.#stderr.write('\n');
  }
}

interface Facts {
  done: number;
  failed: number;
  total: number | undefined;
  rate: number;
}

/** Returns the text of the line: `[######      ] 450/1000  45 %  12 failed  85/s  6 s left`. */
function lineOf({ done, failed, total, rate }: Facts): string {
  const parts: string[] = [];
  if (total === undefined) parts.push(`${done} done`);
  else {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const full = Math.round(share * BAR_CHARS);
    parts.push(`[${'#'.repeat(full)}${' '.repeat(BAR_CHARS - full)}] ${done}/${total}`);
    parts.push(`${Math.floor(share * 100)} %`);
  }
  if (failed > 0) parts.push(`${failed} failed`);
  if (rate > 0) parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s`);
  if (total !== undefined && rate > 0 && done < total)
    parts.push(`${Math.ceil((total - done) / rate)} s left`);
  return parts.join('  ');
}
