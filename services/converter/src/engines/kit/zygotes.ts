import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from '@scriptorium/shares/pool';
import { type EngineEnd, EngineError, type EngineListener, UnfitHostError } from '../engine.ts';
import type { Sandbox } from '../sandbox.ts';
import { makeJobDir, removeDir } from '../work-dir.ts';
import { Zygote } from './zygote.ts';
import type { ZygoteEnd, ZygoteOptions } from './zygote-job.ts';

/** Until the machine has started the other services, too. */
const OTHERS_DELAY_MS = 10_000;
const RESTART_DELAY_MS_MIN = 50;
const RESTART_DELAY_MS_MAX = 30_000;
/** A zygote that lived this long ended by accident; one that ended earlier may end again at once. */
const STABLE_MS = 30_000;

export interface ZygotesOptions extends Omit<ZygoteOptions, 'workDir'> {
  engine: string;
  count: number;
  /** Holds the directories of the zygotes; it must exist. */
  workDir: string;
  /** Whether `start` starts one: the others follow some seconds later. */
  startsWithOne: boolean;
  onEvent: EngineListener;
}

/** A zygote that has started. */
interface Generation {
  zygote: Zygote;
  startedAt: number;
  /** Resolves once its directory is gone, too. */
  end: Promise<ZygoteEnd>;
}

/**
 * The zygotes of an engine. Keeps a number of them alive: one that ended is started again, and one that is worn is replaced
 * (`zygote-wear.ts`). It ends once its successor has started and its last child has ended.
 */
export class Zygotes {
  readonly #options: ZygotesOptions;
  readonly #pool = new Pool<Zygote>((message) => new EngineError('aborted', message));
  readonly #alive = new Set<Zygote>();
  readonly #retired = new Set<Zygote>();
  readonly #closing = new AbortController();
  readonly #tasks = new Set<Promise<unknown>>();
  readonly #supervisors: Promise<void>[] = [];
  #starts = 0;
  /** Why the latest start failed, while no zygote is alive. */
  #startFailure: EngineError | undefined;
  sandbox: Sandbox | undefined;

  constructor(options: ZygotesOptions) {
    this.#options = options;
  }

  /** Rejects if one of them does not start. */
  async start(): Promise<void> {
    const { count, startsWithOne } = this.#options;
    await this.#add(startsWithOne ? 1 : count);
    if (startsWithOne) void this.#addLater(count - 1);
  }

  async #addLater(count: number): Promise<void> {
    try {
      await delay(OTHERS_DELAY_MS, undefined, { signal: this.#closing.signal, ref: false });
      await this.#add(count);
    } catch {
      // It closes; or they did not start, which is reported, and are started again.
    }
  }

  async #add(count: number): Promise<void> {
    const firsts = Array.from({ length: count }, () => Promise.withResolvers<void>());
    this.#supervisors.push(...firsts.map((first) => this.#supervise(first)));
    const results = await Promise.allSettled(firsts.map(({ promise }) => promise));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure !== undefined) throw failure.reason;
  }

  /** Those that take jobs. */
  get alive(): Zygote[] {
    return [...this.#alive];
  }

  get waiting(): number {
    return this.#pool.waiting;
  }

  /** Throws `unavailable` if none is alive because they do not start. */
  requireStart(): void {
    if (this.#startFailure !== undefined) throw this.#startFailure;
  }

  take(...how: Parameters<Pool<Zygote>['take']>): Promise<Zygote> {
    return this.#pool.take(...how);
  }

  /** Returns a function that gives a taken zygote back, once. */
  slotOf(zygote: Zygote): () => void {
    let isHeld = true;
    return () => {
      if (isHeld) this.#takeBack(zygote);
      isHeld = false;
    };
  }

  #takeBack(zygote: Zygote): void {
    const { room } = zygote;
    if (room !== undefined) void room.then(() => this.#takeBack(zygote));
    else if (this.#retired.has(zygote)) this.#end(zygote);
    else if (!zygote.isEnded) this.#pool.put(zygote);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pool.rejectAll(new EngineError('unavailable', 'the engine is closed'));
    await Promise.all(this.#supervisors);
    await Promise.all(this.#tasks);
  }

  /** Keeps one zygote alive until the engine closes. Settles `first` with the outcome of the first start. */
  async #supervise(first: PromiseWithResolvers<void>): Promise<void> {
    const { signal } = this.#closing;
    let delayMs = RESTART_DELAY_MS_MIN;
    let worn: Generation | undefined;
    while (!signal.aborted) {
      const next = await this.#startOne();
      if ('zygote' in next) {
        first.resolve();
        if (worn !== undefined) this.#retire(worn.zygote);
        worn = undefined;
        const reason = await Promise.race([next.zygote.worn, next.end.then(() => undefined)]);
        if (performance.now() - next.startedAt > STABLE_MS) delayMs = RESTART_DELAY_MS_MIN;
        if (reason !== undefined && !signal.aborted) {
          this.#options.onEvent({ type: 'engine-worn', engine: this.#options.engine, reason });
          worn = next;
          continue;
        }
      } else this.#onStartFailure(next, first);
      if (signal.aborted) break;
      const { how, detail } =
        'zygote' in next ? await next.end : { how: 'not-started' as const, detail: next.message };
      this.#report(how, detail, delayMs);
      await delay(delayMs, undefined, { signal }).catch(() => {});
      delayMs = Math.min(2 * delayMs, RESTART_DELAY_MS_MAX);
    }
  }

  #report(how: EngineEnd, reason: string, restartInMs: number): void {
    const { engine, onEvent } = this.#options;
    onEvent({ type: 'engine-ended', engine, how, reason, restartInMs });
  }

  /** Starts one zygote in a directory of its own. Returns why it did not start. */
  async #startOne(): Promise<Generation | EngineError> {
    const { workDir: root, engine, onEvent } = this.#options;
    const name = `zygote-${++this.#starts}`;
    const startedAt = performance.now();
    try {
      const options = { ...this.#options, workDir: makeJobDir(root, name) };
      const zygote = await Zygote.start(options, this.#closing.signal);
      this.sandbox = zygote.sandbox;
      const { version, sandbox } = zygote;
      onEvent({ type: 'engine-started', engine, version, sandbox, startMs: performance.now() - startedAt });
      return { zygote, startedAt, end: this.#track(this.#serve(zygote, join(root, name))) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const left = await leftBy(join(root, name));
      if (error instanceof UnfitHostError) return new UnfitHostError(reason + left, { cause: error });
      return new EngineError('unavailable', reason + left, { cause: error });
    }
  }

  /** Lends a zygote out until it ends or the engine closes. Returns why it ended. */
  async #serve(zygote: Zygote, dir: string): Promise<ZygoteEnd> {
    const { signal } = this.#closing;
    this.#startFailure = undefined;
    this.#alive.add(zygote);
    this.#pool.put(zygote);
    const onClose = () => void zygote.close();
    signal.addEventListener('abort', onClose, { once: true });
    if (signal.aborted) onClose();
    const end = await zygote.ended;
    signal.removeEventListener('abort', onClose);
    this.#alive.delete(zygote);
    this.#retired.delete(zygote);
    this.#pool.remove(zygote);
    await zygote.close();
    return { ...end, detail: end.detail + (await leftBy(dir)) };
  }

  /** Gives a zygote no more jobs. If a caller has it, it ends once that caller gives it back. */
  #retire(zygote: Zygote): void {
    if (!this.#alive.delete(zygote)) return;
    this.#retired.add(zygote);
    if (this.#pool.remove(zygote)) this.#end(zygote);
  }

  #end(zygote: Zygote): void {
    this.#retired.delete(zygote);
    this.#track(zygote.retire());
  }

  #track<T>(task: Promise<T>): Promise<T> {
    const tracked: Promise<unknown> = task.catch(() => {}).finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
    return task;
  }

  #onStartFailure(error: EngineError, first: PromiseWithResolvers<void>): void {
    first.reject(error);
    if (this.#alive.size > 0) return;
    // Do not wait: a caller with another engine can use that one now.
    this.#startFailure = error;
    this.#pool.rejectAll(error);
  }
}

/** Removes the directory of a zygote. Returns what to add to the reason of its end. */
async function leftBy(dir: string): Promise<string> {
  return await removeDir(dir).then(
    () => '',
    (error: Error) => `; its directory cannot be removed: ${error.message}`,
  );
}
