import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentLoader } from '@scriptorium/contracts/jobs/conversion-report';
import { orLate } from '@scriptorium/shared/or-late';
import { EngineError, UnfitHostError } from '../engine.ts';
import { writeProfile } from '../profile.ts';
import { NO_SANDBOX } from '../sandbox.ts';
import { blamedError, makeJobDir, writeInput } from '../work-dir.ts';
import { ChildEnds } from './child-ends.ts';
import { type HostMessage, parseHostLine } from './host-lines.ts';
import { HostProcess } from './host-process.ts';
import { type Gone, requireReport } from './outcome.ts';
import { Spares } from './spares.ts';
import { Child, LentChild, ROWS_NICE, SLOW_NICE } from './zygote-child.ts';
import {
  orderOf,
  type ZygoteEnd,
  type ZygoteJob,
  type ZygoteOptions,
  type ZygoteResult,
  type ZygoteRun,
} from './zygote-job.ts';
import { Wear } from './zygote-wear.ts';

/** As long as a container may take: a machine that is too slow for less must not begin again for ever. */
const START_TIMEOUT_MS = 180_000;
const SPARE_TIMEOUT_MS = 20_000;
const TIDY_DELAY_MS = 10;
/** As in `engine-host/children.h`. */
const CHILDREN_MAX = 24;
const LENT_MAX = 8;

/**
 * One engine host: LibreOffice initialized once, forked for each document, with children ready for the next jobs.
 *
 * Runs one conversion at a time, beside lent and slow children; `zygotes.ts` ensures that.
 */
export class Zygote {
  readonly #options: ZygoteOptions;
  readonly #host: HostProcess;
  readonly #children = new Map<number, Child>();
  readonly #ends: ChildEnds;
  readonly #ready = Promise.withResolvers<Extract<HostMessage, { verb: 'ready' }>>();
  #lastId = 0;
  #lent = 0;
  readonly #spares = new Spares<Child>(() => this.#spawnChild());
  readonly #wear: Wear;
  #isRetired = false;
  /** Finishes what the last job left to do; see `#tidyLater`. */
  #tidyUp: (() => void) | undefined;
  version = '';
  loader: DocumentLoader = 'libreofficekit';
  sandbox = NO_SANDBOX;

  /** Starts an engine host and resolves once its first child waits for a job. */
  static async start(options: ZygoteOptions, signal: AbortSignal): Promise<Zygote> {
    signal.throwIfAborted();
    const { workDir, source } = options;
    writeProfile(join(workDir, 'profile'), options.fonts, options);
    const warmUps = options.warmUps.map((_, index) => join(workDir, `warm-up-${index}.${source}`));
    for (const [index, path] of warmUps.entries()) await writeFile(path, options.warmUps[index] ?? '');
    const zygote = new Zygote(options, warmUps);
    const timer = setTimeout(() => zygote.#host.destroy('it did not start in time'), START_TIMEOUT_MS);
    const onAbort = () => zygote.#host.destroy('closed while starting');
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { version, loader, sandbox } = await zygote.#ready.promise;
      Object.assign(zygote, { version, loader, sandbox });
      await zygote.#spares.prepare();
      return zygote;
    } catch (error) {
      await zygote.close();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  private constructor(options: ZygoteOptions, warmUps: string[]) {
    this.#options = options;
    this.#wear = new Wear(options.wear);
    this.#host = new HostProcess(options, warmUps, {
      onLine: (line) => this.#hear(line),
      onEnd: (detail, isUnfit) => this.#onEnd(detail, isUnfit),
    });
    this.#ends = new ChildEnds(this.#host, () => this.#wear.childStuck());
    this.#ready.promise.catch(() => {});
  }

  /** Resolves when the host has ended. */
  get ended(): Promise<ZygoteEnd> {
    return this.#host.ended;
  }

  get isEnded(): boolean {
    return this.#host.isEnded;
  }

  /** Undefined, or resolves when it has room for the child of another job: some that it killed have not ended. */
  get room(): Promise<void> | undefined {
    return this.#ends.hasRoom ? undefined : this.#ends.room();
  }

  /** Resolves with the reason when it should be replaced. */
  get worn(): Promise<string> {
    return this.#wear.worn;
  }

  /** Converts one document. Once it is slow, it runs beside other conversions, as a lent child does. */
  async convert<T>(job: ZygoteJob<T>, signal: AbortSignal, run: ZygoteRun): Promise<ZygoteResult<T>> {
    const calledAt = performance.now();
    const isBeside = run.slow?.aborted === true || run.isProbe === true;
    const child = isBeside ? await this.#takeLent(signal) : await this.#spares.take(signal);
    const { source } = this.#options;
    const onSlow = () => {
      if (!isBeside) this.#countLent(Promise.resolve(child));
      this.#yield(child);
      this.#prepareSpares();
    };
    try {
      await writeInput(join(child.dir, `input.${source}`), job.input);
      signal.throwIfAborted();
      if (run.isLow) this.#yield(child);
      if (run.slow?.aborted) onSlow();
      else run.slow?.addEventListener('abort', onSlow, { once: true });
      run.onStart();
      const startedAt = performance.now();
      const files = { from: `input.${source}`, to: `output.${job.suffix}` };
      this.#host.send(`run ${child.id} ${orderOf(job, files)}`);
      // Now the job does not wait for it.
      this.#tidyUp?.();
      // From then on, it may be killed. It must not become idle before it has ended.
      const outcome = await child
        .outcome(signal)
        .finally(() => run.slow?.removeEventListener('abort', onSlow));
      if (outcome.verb === 'gone' && outcome.isUnused && !this.isEnded) {
        // It died while it waited. The document did not cause that, and the next child can take the job.
        await this.#ends.end(child);
        return await this.convert(job, signal, run);
      }
      const result = await job.accept(requireReport(outcome), join(child.dir, files.to));
      this.#tidyLater(child);
      return { result, waitMs: startedAt - calledAt, runMs: performance.now() - startedAt };
    } catch (failure) {
      const error = await blamedError(failure, this.#options.workDir);
      if (error instanceof EngineError) error.cpuMs = child.cpuMs;
      // After a failure, the caller may rely on it that nothing of the job is left.
      await this.#ends.end(child);
      this.#prepareSpares();
      throw error;
    }
  }

  #prepareSpares(): void {
    if (!this.isEnded && !this.#isRetired) this.#spares.prepare();
  }

  /** Takes a child that is lent from now on. */
  #takeLent(signal: AbortSignal): Promise<Child> {
    const taking = this.#spares.take(signal);
    this.#countLent(taking);
    return taking;
  }

  /** Counts a child until it has ended, or could not be taken. */
  #countLent(taking: Promise<Child>): void {
    this.#lent++;
    const uncount = () => this.#lent--;
    taking.then(({ gone }) => gone.promise).then(uncount, uncount);
  }

  /** It runs only while a processor is idle. Where the kernel refuses that, it gets less than other children. */
  #yield(child: Child): void {
    child.giveWay(SLOW_NICE);
    this.#host.send(`yield ${child.id}`);
  }

  /** Whether there is room for one more lent or slow child. */
  get canLend(): boolean {
    return this.#lent < LENT_MAX;
  }

  /** The children that are lent or slow, and that have not ended. */
  get lent(): number {
    return this.#lent;
  }

  /** Lends a child for several jobs of one caller. It works beside the conversions of this zygote. */
  async lend(signal: AbortSignal): Promise<LentChild> {
    if (!this.canLend) throw new EngineError('unavailable', 'the engine host has lent its children');
    const child = await this.#takeLent(signal);
    this.#spares.prepare();
    child.giveWay(ROWS_NICE);
    return new LentChild(
      child,
      (command) => this.#host.send(command),
      () => this.#ends.end(child),
    );
  }

  /** Ends once its children have ended. Those without a job end now. Its owner gives it no more jobs. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    this.#tidyUp?.();
    for (const spare of this.#spares.release())
      this.#ends.track(spare.then((child) => this.#ends.end(child)));
    while (this.#children.size > 0)
      await Promise.all([...this.#children.values()].map((child) => child.gone.promise));
    await this.close();
  }

  /** Ends the host and its children, and waits until their directories are removed. */
  async close(): Promise<void> {
    this.#tidyUp?.();
    await this.#host.close();
    await this.#ends.settled();
  }

  async #spawnChild(isSecondTry = false): Promise<Child> {
    if (this.#children.size >= CHILDREN_MAX)
      throw new EngineError('unavailable', 'the engine host has no room for another child');
    const id = ++this.#lastId;
    this.#wear.forked(id);
    const child = new Child(id, makeJobDir(this.#options.workDir, `job-${id}`));
    this.#children.set(id, child);
    if (this.isEnded) this.#bury(child, { verb: 'gone', id, how: 'exit', number: 0, isUnused: true });
    this.#host.send(`spawn ${id} ${child.dir}`);
    const { spare } = child;
    await orLate(spare.promise, SPARE_TIMEOUT_MS, () => this.#host.destroy('a child was not ready in time'));
    if ((await spare.promise) === 'spare') return child;
    await this.#ends.end(child);
    if (!isSecondTry && !this.isEnded) return await this.#spawnChild(true);
    // LibreOffice cannot fork any more, perhaps for lack of memory: a new host may work.
    this.#host.destroy('its children ended before their job');
    throw new EngineError('unavailable', 'the engine host cannot provide a child for the job');
  }

  /**
   * Ending a child and forking the next one each occupy a core for milliseconds and would delay the answer. Both wait a
   * little, unless the next job is already here.
   */
  #tidyLater(child: Child): void {
    const tidyUp = () => {
      clearTimeout(timer);
      this.#tidyUp = undefined;
      this.#ends.track(this.#ends.end(child));
      this.#prepareSpares();
    };
    const timer = setTimeout(tidyUp, TIDY_DELAY_MS);
    this.#tidyUp = tidyUp;
  }

  #hear(line: string): void {
    const message = parseHostLine(line);
    if (message === undefined) {
      this.#host.destroy(`unexpected message ${JSON.stringify(line.slice(0, 100))}`);
    } else if (message.verb === 'ready') {
      this.#ready.resolve(message);
    } else {
      const child = this.#children.get(message.id);
      if (message.verb === 'spare') child?.wait(message.pid);
      else if (message.verb === 'done') child?.reported(message);
      else if (message.verb === 'dying') child?.dying.resolve();
      else if (child !== undefined) this.#bury(child, message);
    }
  }

  #bury(child: Child, message: Gone): void {
    this.#children.delete(child.id);
    this.#wear.childEnded(message);
    child.ended(message);
  }

  #onEnd(detail: string, isUnfit: boolean): void {
    this.#wear.end();
    const message = `the engine host ended: ${detail}`;
    this.#ready.reject(isUnfit ? new UnfitHostError(message) : new EngineError('unavailable', message));
    // The kernel kills the children of a host that ends (PR_SET_PDEATHSIG).
    for (const child of this.#children.values()) {
      this.#bury(child, { verb: 'gone', id: child.id, how: 'signal', number: 9, isUnused: false });
    }
  }
}
