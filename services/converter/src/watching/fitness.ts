import { EngineError } from '../engines/engine.ts';

const CHECK_MS = 1_000;
/** Own failures in a row after which the converter tests itself. */
const FAILURES_MAX = 3;
/** Failures of the machine or of this process, but not of a document. */
const OWN_FAILURES = new Set(['unavailable']);

export interface FitnessParts {
  /** Throws while documents find no room. Called each second, so it must be cheap. */
  checkSpace(): Promise<void>;
  /** Converts a document. Throws if that fails. */
  test(): Promise<void>;
  onChange(isFit: boolean, reason: string): void;
}

/** Whether this converter can work. One that cannot takes no documents, and tests itself until it can. */
export class Fitness {
  readonly #parts: FitnessParts;
  readonly #timer: NodeJS.Timeout;
  #failures = 0;
  #isTested = true;
  #isChecking = false;
  #reason: string | undefined;

  constructor(parts: FitnessParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.check(), CHECK_MS);
  }

  get isFit(): boolean {
    return this.#reason === undefined;
  }

  /** Throws with the reason while the converter cannot work. */
  require(): void {
    if (this.#reason !== undefined) throw new EngineError('unavailable', this.#reason);
  }

  /** Counts the end of a conversion: its error, or none. */
  count(error?: unknown): void {
    const isOwn = error instanceof EngineError && OWN_FAILURES.has(error.kind);
    if (error !== undefined && !isOwn) return;
    this.#failures = isOwn ? this.#failures + 1 : 0;
    if (isOwn) void this.check();
  }

  /** Checks now, beside the regular checks. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      if (this.#failures >= FAILURES_MAX) this.#isTested = false;
      await this.#parts.checkSpace();
      if (!this.#isTested || !this.isFit) {
        await this.#parts.test();
        this.#failures = 0;
        this.#isTested = true;
      }
      this.#set(undefined);
    } catch (error) {
      this.#set(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isChecking = false;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
  }

  #set(reason: string | undefined): void {
    const isChange = (reason === undefined) !== this.isFit;
    this.#reason = reason;
    if (isChange) this.#parts.onChange(reason === undefined, reason ?? 'it can work again');
  }
}
