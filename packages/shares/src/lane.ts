import { AppError } from '@scriptorium/contracts/errors';

/** The default of `patienceMs`. */
const PATIENCE_MS = 1_000;
const THREAD_PATIENCE_MS = 250;
const THREAD_SLOW_AFTER_MS = 2_000;
/** A slow document beside which no other may be slow would be evicted by the next one. */
const THREAD_SLOW_MIN = 2;
/** A document without an engine or a thread for this time waits for one. Shorter pauses are between its steps. */
const WAITING_MS_MIN = 100;
/** How long an owner counts after its last document, and after its last slow one. */
const REMEMBERED_MS = 60_000;
const OWNERS_MAX = 10_000;
const PUT_BACK_MS_MIN = 50;
const PUT_BACK_MS_MAX = 1_000;
const RETRY_AFTER_SECONDS = 10;

export interface SlowLaneSettings {
  /** Documents that are in work concurrently, apart from slow ones. */
  slots: number;
  /** Time in work after which a document is slow. */
  afterMs: number;
  /** Time in work after which a document gives its slot up if a job of another owner waits and no slot is free. */
  patienceMs?: number;
  /** Slow documents at a time. */
  documentsMax: number;
  onEvent?(event: 'slow' | 'put-back' | 'evicted'): void;
}

/** A document must wait for others: its job goes back to the queue for a time. */
export class MustWait extends Error {
  readonly delayMs: number;

  constructor(delayMs: number) {
    super('the document must wait for others');
    this.delayMs = delayMs;
  }
}

/** A job that wants a slot. */
export interface LaneJob {
  owner: string | undefined;
  /** Whether the owner has used up its processor time of this minute. */
  isOverBudget: boolean;
  /** How often the job has started. */
  starts: number;
  /** Lets the worker take one more job until this one ends. */
  stepAside(): void;
  /** Whether a job of another owner is among the next in the queue. */
  anotherWaits(): Promise<boolean>;
}

/** A document that holds a slot, or a place in the slow lane. */
export class Turn {
  readonly owner: string;
  /** Whether its owner gets less of the processor from the start. */
  isLow = false;
  readonly #job: LaneJob;
  readonly #slow = new AbortController();
  readonly #eviction = new AbortController();
  readonly #lane: SlowLane;
  /** While it is in work. */
  #startedAt: number | undefined;
  /** Since when it is not. */
  #idleSince = performance.now();
  /** The sum of the times before. */
  #ranMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(lane: SlowLane, job: LaneJob) {
    this.#lane = lane;
    this.#job = job;
    this.owner = job.owner ?? '';
  }

  /** Aborted once the document is slow. */
  get slow(): AbortSignal {
    return this.#slow.signal;
  }

  /** Aborted with an `AppError` if the document must end for others. */
  get evicted(): AbortSignal {
    return this.#eviction.signal;
  }

  get runMs(): number {
    return this.#ranMs + (this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt);
  }

  get isLong(): boolean {
    return this.runMs >= this.#lane.afterMs;
  }

  get isInWork(): boolean {
    return this.#startedAt !== undefined;
  }

  get isWaiting(): boolean {
    return !this.isInWork && performance.now() - this.#idleSince >= WAITING_MS_MIN;
  }

  anotherWaits(): Promise<boolean> {
    return this.#job.anotherWaits().catch(() => false);
  }

  /** For a document that was slow before. */
  expectSlow(): void {
    this.#lane.expectSlow(this);
  }

  /** An engine or a thread has begun to work on it. */
  start(): void {
    if (this.isInWork) return;
    this.#startedAt = performance.now();
    this.#checkWithin(this.#lane.patienceMs);
  }

  /** It waits for its next step. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#ranMs = this.runMs;
    this.#startedAt = undefined;
    this.#idleSince = performance.now();
  }

  end(): void {
    this.pause();
    this.#lane.leave(this);
  }

  giveWay(): void {
    clearTimeout(this.#timer);
    this.#slow.abort();
    this.#job.stepAside();
  }

  evict(): void {
    clearTimeout(this.#timer);
    const message =
      'The document takes long, and other callers wait. Its owner has most of the long documents.';
    this.#eviction.abort(
      new AppError('CONCURRENCY_LIMIT', message, { retryAfterSeconds: RETRY_AFTER_SECONDS }),
    );
  }

  /** Checks after this time, or as soon as the document is long. A timer may fire a millisecond early. */
  #checkWithin(ms: number): void {
    clearTimeout(this.#timer);
    const untilLongMs = Math.ceil(this.#lane.afterMs - this.runMs) + 1;
    const waitMs = this.isLong ? ms : Math.min(ms, untilLongMs);
    this.#timer = setTimeout(async () => {
      await this.#lane.check(this);
      const isDone = !this.#lane.has(this) || this.slow.aborted || this.evicted.aborted;
      if (!isDone && this.isInWork) this.#checkWithin(this.#lane.patienceMs / 2);
    }, waitMs);
  }
}

/** A lane for jobs that each hold one of some threads, for milliseconds as a rule. */
export const laneOfThreads = (threads: number): SlowLane =>
  new SlowLane({
    slots: threads,
    afterMs: THREAD_SLOW_AFTER_MS,
    patienceMs: THREAD_PATIENCE_MS,
    documentsMax: Math.max(THREAD_SLOW_MIN, threads),
  });

/**
 * Shares the engines or the threads of this process among owners. A document that runs long goes on beside the others at low priority, and
 * its slot is free. An owner with such documents, or over its budget, does not get the last free slot while others are about.
 */
export class SlowLane {
  readonly #settings: SlowLaneSettings;
  readonly #turns = new Set<Turn>();
  /** When an owner's last document came, and its last slow one, by `performance.now()`. In order of arrival. */
  readonly #owners = new Map<string, { seenAt: number; slowAt: number }>();

  constructor(settings: SlowLaneSettings) {
    this.#settings = settings;
  }

  get slowCount(): number {
    return this.#slow().length;
  }

  get afterMs(): number {
    return this.#settings.afterMs;
  }

  get patienceMs(): number {
    return this.#settings.patienceMs ?? PATIENCE_MS;
  }

  has(turn: Turn): boolean {
    return this.#turns.has(turn);
  }

  /** Throws `MustWait` if the document must wait for others. */
  enter(job: LaneJob): Turn {
    const turn = new Turn(this, job);
    const { slowAt } = this.#see(turn.owner);
    const isHeavy = job.isOverBudget || performance.now() - slowAt < REMEMBERED_MS;
    turn.isLow = isHeavy && this.#isShared(turn.owner);
    const mustYield = turn.isLow && this.#freeSlots() <= 1;
    if (mustYield && !this.#makeRoomFor(turn)) {
      this.#settings.onEvent?.('put-back');
      throw new MustWait(Math.min(PUT_BACK_MS_MAX, PUT_BACK_MS_MIN * 2 ** Math.min(job.starts, 10)));
    }
    this.#turns.add(turn);
    if (mustYield) this.#makeSlow(turn);
    return turn;
  }

  /** For a document that was slow before. */
  expectSlow(turn: Turn): void {
    if (this.#isShared(turn.owner) && this.#hasRoom() && !turn.slow.aborted) this.#makeSlow(turn);
  }

  leave(turn: Turn): void {
    this.#turns.delete(turn);
  }

  /** Frees the slot of a document that runs long, if the lane has room for it or others wait. */
  async check(turn: Turn): Promise<void> {
    if (turn.isLong && this.#hasRoom()) return this.#makeSlow(turn);
    const mayStay = async () => (!turn.isLong && this.#freeSlots() > 0) || !(await turn.anotherWaits());
    if (!this.#othersWait(turn) && (await mayStay())) return;
    if (!this.has(turn)) return;
    if (!this.#hasRoom()) this.#evict(this.#longestOfMost([...this.#slow(), turn]));
    if (!turn.evicted.aborted) this.#makeSlow(turn);
  }

  /** Whether a document of another owner has entered, and waits for the engine or the thread of its step. */
  #othersWait({ owner }: Turn): boolean {
    return [...this.#turns].some((other) => other.isWaiting && other.owner !== owner);
  }

  #freeSlots(): number {
    return this.#settings.slots - (this.#turns.size - this.slowCount);
  }

  #hasRoom(): boolean {
    return this.slowCount < this.#settings.documentsMax;
  }

  #slow(): Turn[] {
    return [...this.#turns].filter(({ slow }) => slow.aborted);
  }

  /** An owner with two places more than the owner of this document loses one to it. */
  #makeRoomFor(turn: Turn): boolean {
    if (this.#hasRoom()) return true;
    const slow = this.#slow();
    const longest = this.#longestOfMost(slow);
    const countOf = (owner: string): number => slow.filter((other) => other.owner === owner).length;
    if (longest === undefined || countOf(longest.owner) < countOf(turn.owner) + 2) return false;
    this.#evict(longest);
    return true;
  }

  /** The document that has run longest, of the owner with most. */
  #longestOfMost(turns: readonly Turn[]): Turn | undefined {
    const counts = new Map<string, number>();
    for (const { owner } of turns) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const most = Math.max(...counts.values());
    return turns
      .filter(({ owner, evicted }) => counts.get(owner) === most && !evicted.aborted)
      .sort((a, b) => b.runMs - a.runMs)[0];
  }

  #makeSlow(turn: Turn): void {
    this.#see(turn.owner).slowAt = performance.now();
    turn.giveWay();
    this.#settings.onEvent?.('slow');
  }

  #evict(turn: Turn | undefined): void {
    if (turn === undefined) return;
    this.#turns.delete(turn);
    turn.evict();
    this.#settings.onEvent?.('evicted');
  }

  #see(owner: string): { seenAt: number; slowAt: number } {
    const known = this.#owners.get(owner) ?? { seenAt: 0, slowAt: Number.NEGATIVE_INFINITY };
    known.seenAt = performance.now();
    this.#owners.delete(owner);
    this.#owners.set(owner, known);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > OWNERS_MAX && oldest !== undefined) this.#owners.delete(oldest);
    return known;
  }

  /** Whether another owner has sent a document of late. */
  #isShared(owner: string): boolean {
    const [latest, second] = [...this.#owners.entries()].slice(-2).reverse();
    const other = latest?.[0] === owner ? second : latest;
    return other !== undefined && performance.now() - other[1].seenAt < REMEMBERED_MS;
  }
}
