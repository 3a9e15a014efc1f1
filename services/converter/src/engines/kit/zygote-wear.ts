/** After what a zygote is replaced. All of its children have its layout of addresses, which crashes may reveal. */
export interface WearLimits {
  /** Children that crashed. */
  crashesMax: number;
  childrenMax: number;
  ageMsMax: number;
}

const LIMITS: WearLimits = { crashesMax: 6, childrenMax: 20_000, ageMsMax: 60 * 60_000 };
/** Each zygote has between this share of the limits and all of them, so that not all are replaced at once. */
const SHARE_MIN = 0.5;
/** signal(7): illegal instruction, trap, abort, bus error, arithmetic, segmentation fault, forbidden system call. */
const CRASH_SIGNALS = new Set([4, 5, 6, 7, 8, 11, 31]);

/** Counts what wears a zygote. */
export class Wear {
  readonly #limits: WearLimits;
  readonly #share = SHARE_MIN + Math.random() * (1 - SHARE_MIN);
  readonly #worn = Promise.withResolvers<string>();
  readonly #timer: NodeJS.Timeout;
  #crashes = 0;

  constructor(limits: Partial<WearLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#timer = setTimeout(() => this.#worn.resolve('age'), this.#limits.ageMsMax * this.#share);
    this.#timer.unref();
  }

  /** Resolves with the reason when the zygote should be replaced. */
  get worn(): Promise<string> {
    return this.#worn.promise;
  }

  /** The zygote forked that many children so far. */
  forked(children: number): void {
    if (children >= this.#limits.childrenMax * this.#share) this.#worn.resolve('children');
  }

  childEnded({ how, number }: { how: 'exit' | 'signal'; number: number }): void {
    if (how !== 'signal' || !CRASH_SIGNALS.has(number)) return;
    this.#crashes++;
    if (this.#crashes >= this.#limits.crashesMax) this.#worn.resolve('crashes');
  }

  /** A child that was killed does not end. */
  childStuck(): void {
    this.#worn.resolve('a killed child does not end');
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
