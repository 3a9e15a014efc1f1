import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DocumentLoader } from '@scriptorium/shared/jobs/conversion-report';
import { EngineError } from '../engine.ts';
import { NO_SANDBOX } from '../sandbox.ts';
import { type HostMessage, lineSplitter, parseHostLine } from './host-lines.ts';
import { type Gone, requireReport } from './outcome.ts';
import { engineEnvironment, writeProfile } from './profile.ts';
import { Spares } from './spares.ts';
import { blamedError, makeJobDir, removeDir, writeInput } from './work-dir.ts';
import { Child, LentChild } from './zygote-child.ts';
import {
  orderOf,
  type ZygoteEnd,
  type ZygoteJob,
  type ZygoteOptions,
  type ZygoteResult,
  type ZygoteRun,
} from './zygote-job.ts';

const START_TIMEOUT_MS = 60_000;
const SPARE_TIMEOUT_MS = 10_000;
const KILL_GRACE_MS = 1_000;
const TIDY_DELAY_MS = 10;
/** sched(7): about a tenth of the weight of other processes, and a thirtieth. */
const ROWS_NICE = 10;
const SLOW_NICE = 15;
const STDERR_CHARS_MAX = 2_000;
/** A host has room for 16 children (`engine-host/children.h`), of which some wait or end. */
const LENT_MAX = 8;

/**
 * One engine host: LibreOffice initialized once, forked for each document, with children ready for the next jobs.
 *
 * Runs one conversion at a time, beside lent and slow children; `libreofficekit.ts` ensures that.
 */
export class Zygote {
  readonly #options: ZygoteOptions;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #children = new Map<number, Child>();
  readonly #cleanups = new Set<Promise<void>>();
  readonly #ready = Promise.withResolvers<Extract<HostMessage, { verb: 'ready' }>>();
  readonly #ended = Promise.withResolvers<ZygoteEnd>();
  #isEnded = false;
  #isGivenUp = false;
  #stderr = '';
  #lastId = 0;
  #lent = 0;
  readonly #spares = new Spares<Child>(() => this.#spawnChild());
  /** Finishes what the last job left to do; see `#tidyLater`. */
  #tidyUp: (() => void) | undefined;
  version = '';
  loader: DocumentLoader = 'libreofficekit';
  sandbox = NO_SANDBOX;

  /** Starts an engine host and resolves once its first child waits for a job. */
  static async start(options: ZygoteOptions, signal: AbortSignal): Promise<Zygote> {
    signal.throwIfAborted();
    const { workDir, programDir, source } = options;
    writeProfile(join(workDir, 'profile'), { programDir, source });
    const warmUps = options.warmUps.map((_, index) => join(workDir, `warm-up-${index}.${source}`));
    for (const [index, path] of warmUps.entries()) await writeFile(path, options.warmUps[index] ?? '');
    const zygote = new Zygote(options, warmUps);
    const timer = setTimeout(() => zygote.#destroy('it did not start in time'), START_TIMEOUT_MS);
    const onAbort = () => zygote.#destroy('closed while starting');
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
    this.#process = spawn(
      options.hostPath,
      [String(process.pid), options.programDir, options.workDir, options.sandbox, ...warmUps],
      { env: engineEnvironment(options.workDir), cwd: options.workDir, stdio: 'pipe' },
    );
    const onLine = lineSplitter((line) => this.#hear(line));
    this.#process.stdout.setEncoding('utf8').on('data', onLine);
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS_MAX);
    });
    // A failed write to a host that just ended needs no report: its end is reported.
    this.#process.stdin.on('error', () => {});
    this.#process.on('error', (error) => this.#onEnd('exited', error.message));
    this.#process.on('close', (code, killedBy) =>
      killedBy === null ? this.#onEnd('exited', `exit code ${code}`) : this.#onEnd('killed', killedBy),
    );
    this.#ready.promise.catch(() => {});
  }

  /** Resolves when the host has ended. */
  get ended(): Promise<ZygoteEnd> {
    return this.#ended.promise;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Converts one document. Once it is slow, it runs beside other conversions, as a lent child does. */
  async convert<T>(job: ZygoteJob<T>, signal: AbortSignal, run: ZygoteRun): Promise<ZygoteResult<T>> {
    const calledAt = performance.now();
    const child = await this.#spares.take(signal);
    const { source } = this.#options;
    const onSlow = () => this.#setAside(child);
    try {
      await writeInput(join(child.dir, `input.${source}`), job.input);
      signal.throwIfAborted();
      if (run.isLow) this.#yield(child);
      if (run.slow?.aborted) onSlow();
      else run.slow?.addEventListener('abort', onSlow, { once: true });
      run.onStart();
      const startedAt = performance.now();
      const files = { from: `input.${source}`, to: `output.${job.suffix}` };
      this.#send(`run ${child.id} ${orderOf(job, files)}`);
      // Now the job does not wait for it.
      this.#tidyUp?.();
      const outcome = await child.outcome(signal);
      if (outcome.verb === 'gone' && outcome.isUnused && !this.#isEnded) {
        // It died while it waited. The document did not cause that, and the next child can take the job.
        await this.#discard(child);
        return await this.convert(job, signal, run);
      }
      const result = await job.accept(requireReport(outcome), join(child.dir, files.to));
      this.#tidyLater(child);
      return { result, waitMs: startedAt - calledAt, runMs: performance.now() - startedAt };
    } catch (failure) {
      const error = await blamedError(failure, this.#options.workDir);
      if (error instanceof EngineError) error.cpuMs = child.cpuMs;
      // After a failure, the caller may rely on it that nothing of the job is left.
      await this.#discard(child);
      if (!this.#isEnded) this.#spares.prepare();
      throw error;
    } finally {
      run.slow?.removeEventListener('abort', onSlow);
    }
  }

  #setAside(child: Child): void {
    this.#lent++;
    void child.gone.promise.then(() => this.#lent--);
    this.#yield(child);
    if (!this.#isEnded) this.#spares.prepare();
  }

  /** It runs only while a processor is idle. Where the kernel refuses that, it gets less than other children. */
  #yield(child: Child): void {
    child.giveWay(SLOW_NICE);
    this.#send(`yield ${child.id}`);
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
    this.#lent++;
    try {
      const child = await this.#spares.take(signal);
      this.#spares.prepare();
      void child.gone.promise.then(() => this.#lent--);
      child.giveWay(ROWS_NICE);
      return new LentChild(
        child,
        (command) => this.#send(command),
        () => this.#discard(child),
      );
    } catch (error) {
      this.#lent--;
      throw error;
    }
  }

  /** Ends the host and its children, and waits until their directories are removed. */
  async close(): Promise<void> {
    this.#tidyUp?.();
    this.#process.stdin.end();
    const grace = new AbortController();
    await Promise.race([
      this.ended,
      delay(KILL_GRACE_MS, undefined, { signal: grace.signal }).catch(() => {}),
    ]);
    grace.abort();
    this.#destroy('closed');
    await this.ended;
    await Promise.all(this.#cleanups);
  }

  async #spawnChild(isSecondTry = false): Promise<Child> {
    const id = ++this.#lastId;
    const child = new Child(id, makeJobDir(this.#options.workDir, `job-${id}`));
    this.#children.set(id, child);
    if (this.#isEnded) this.#bury(child, { verb: 'gone', id, how: 'exit', number: 0, isUnused: true });
    this.#send(`spawn ${id} ${child.dir}`);
    const timer = setTimeout(() => this.#destroy('a child was not ready in time'), SPARE_TIMEOUT_MS);
    const state = await child.spare.promise;
    clearTimeout(timer);
    if (state === 'spare') return child;
    await this.#discard(child);
    if (!isSecondTry && !this.#isEnded) return await this.#spawnChild(true);
    // LibreOffice cannot fork any more, perhaps for lack of memory: a new host may work.
    this.#destroy('its children ended before their job');
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
      this.#track(this.#discard(child));
      if (!this.#isEnded) this.#spares.prepare();
    };
    const timer = setTimeout(tidyUp, TIDY_DELAY_MS);
    this.#tidyUp = tidyUp;
  }

  /** Kills a child that is still there, then removes its directory. */
  async #discard(child: Child): Promise<void> {
    if (!child.isGone) {
      this.#send(`kill ${child.id}`);
      const timer = setTimeout(() => this.#destroy('it did not kill a child in time'), KILL_GRACE_MS);
      await child.gone.promise;
      clearTimeout(timer);
    }
    await removeDir(child.dir).catch((error) =>
      this.#destroy(`a job's directory cannot be removed: ${error.message}`),
    );
  }

  #track(cleanup: Promise<void>): void {
    const tracked = cleanup.catch(() => {}).finally(() => this.#cleanups.delete(tracked));
    this.#cleanups.add(tracked);
  }

  #send(command: string): void {
    if (!this.#isEnded) this.#process.stdin.write(`${command}\n`);
  }

  #hear(line: string): void {
    const message = parseHostLine(line);
    if (message === undefined) {
      this.#destroy(`unexpected message ${JSON.stringify(line.slice(0, 100))}`);
    } else if (message.verb === 'ready') {
      this.#ready.resolve(message);
    } else {
      const child = this.#children.get(message.id);
      if (message.verb === 'spare') child?.wait(message.pid);
      else if (message.verb === 'done') child?.reported(message);
      else if (child !== undefined) this.#bury(child, message);
    }
  }

  #bury(child: Child, message: Gone): void {
    this.#children.delete(child.id);
    child.ended(message);
  }

  #destroy(reason: string): void {
    if (this.#isEnded) return;
    this.#isGivenUp = true;
    this.#stderr += reason;
    this.#process.kill('SIGKILL');
  }

  #onEnd(how: ZygoteEnd['how'], reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const detail = `${reason} ${this.#stderr}`.trim();
    this.#ready.reject(new EngineError('unavailable', `the engine host ended: ${detail}`));
    // The kernel kills the children of a host that ends (PR_SET_PDEATHSIG).
    for (const child of this.#children.values()) {
      this.#bury(child, { verb: 'gone', id: child.id, how: 'signal', number: 9, isUnused: false });
    }
    this.#ended.resolve({ how: this.#isGivenUp ? 'given-up' : how, detail });
  }
}
