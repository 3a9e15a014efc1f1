import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import type { TargetFormat } from '@scriptorium/shared/jobs/target-formats';
import {
  type ConversionRequest,
  type Engine,
  type EngineEnd,
  EngineError,
  type EngineHealth,
  type EngineListener,
  type EngineResult,
  type EngineRun,
  type RowMaker,
} from '../engine.ts';
import type { Sandbox, SandboxDemand } from '../sandbox.ts';
import { bounded } from './bounded.ts';
import { exportFilterOf, filterOptionsOf, suffixOf } from './formats.ts';
import { findHost, findProgramDir } from './installation.ts';
import { readKitResult } from './kit-result.ts';
import { readOutput } from './output.ts';
import { Pool } from './pool.ts';
import { KitRowMaker } from './row-maker.ts';
import { warmUpDocuments } from './warm-up.ts';
import { defaultWorkRoot, makeJobDir, makeWorkDir, removeDir, removeStaleWorkDirs } from './work-dir.ts';
import { Zygote } from './zygote.ts';
import type { ZygoteEnd, ZygoteJob, ZygoteResult } from './zygote-job.ts';

const RESTART_DELAY_MS_MIN = 50;
const RESTART_DELAY_MS_MAX = 30_000;
/** A row keeps its slot for this time at most: its child is lent, and needs no slot to go on. */
const ROW_SLOT_MS_MAX = 250;
/** A zygote that lived this long ended by accident; one that ended earlier may end again at once. */
const STABLE_MS = 30_000;

export interface LibreOfficeKitOptions {
  /** Number of zygotes; each runs one conversion at a time. By default one per core. */
  zygotes?: number;
  /** Where its private directory is created. By default in memory, if the host has a file system in memory. */
  workRoot?: string;
  /** What to do if the kernel lacks a wall. By default `required`: do not start. */
  sandbox?: SandboxDemand;
  onEvent?: EngineListener;
  /** The program that hosts LibreOffice. By default the one that was built. */
  hostPath?: string;
  /** The one format that it reads, and documents in that format for the warm-up. By default DOCX. */
  reads?: { source: EngineSource; warmUps: readonly Uint8Array[] };
}

/** LibreOffice as a library that reads one format, initialized once per core and forked for each document. */
export class LibreOfficeKitEngine implements Engine {
  readonly name: string;
  readonly #reads: { source: EngineSource; warmUps: readonly Uint8Array[] };
  readonly #zygoteCount: number;
  readonly #workRoot: string | undefined;
  readonly #demand: SandboxDemand;
  readonly #onEvent: EngineListener;
  readonly #hostPath: string | undefined;
  readonly #pool = new Pool<Zygote>();
  readonly #alive = new Set<Zygote>();
  readonly #closing = new AbortController();
  #supervisors: Promise<void>[] = [];
  #workDir = '';
  #sandbox: Sandbox | undefined;
  #running = 0;
  #starts = 0;
  /** Why the latest start failed, while no zygote is alive. */
  #startFailure: EngineError | undefined;

  constructor(options: LibreOfficeKitOptions = {}) {
    this.#reads = options.reads ?? { source: 'docx', warmUps: warmUpDocuments() };
    this.name = this.#reads.source === 'docx' ? 'libreofficekit' : `libreofficekit-${this.#reads.source}`;
    this.#zygoteCount = options.zygotes ?? availableParallelism();
    this.#workRoot = options.workRoot;
    this.#demand = options.sandbox ?? 'required';
    this.#hostPath = options.hostPath;
    this.#onEvent = options.onEvent ?? (() => {});
  }

  async start(): Promise<void> {
    if (this.#closing.signal.aborted) throw new EngineError('unavailable', 'the engine is closed');
    const [hostPath, programDir] = [this.#hostPath ?? (await findHost()), await findProgramDir()];
    if (hostPath === undefined) throw new EngineError('unavailable', 'the engine host is not built');
    if (programDir === undefined)
      throw new EngineError('unavailable', 'there is no LibreOffice on this host');
    const root = this.#workRoot ?? (await defaultWorkRoot());
    await removeStaleWorkDirs(root);
    this.#workDir = await makeWorkDir(root);
    const firsts: Promise<void>[] = [];
    for (let i = 0; i < this.#zygoteCount; i++) {
      const first = Promise.withResolvers<void>();
      firsts.push(first.promise);
      this.#supervisors.push(this.#supervise({ hostPath, programDir }, first));
    }
    const results = await Promise.allSettled(firsts);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure === undefined) return;
    await this.close();
    throw failure.reason;
  }

  /** Also rejects with `unsupported`, if the document has another format than this engine reads. */
  async convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult> {
    if (request.from !== this.#reads.source)
      throw new EngineError('unsupported', `${this.name} does not read ${request.from}`);
    const { result, waitMs, runMs } = await this.#run(run, {
      input,
      suffix: suffixOf(request.to),
      filter: exportFilterOf(request.to),
      updateFields: request.updateFields,
      comments: request.comments,
      options: filterOptionsOf(request),
      accept: (report, path) => readKitResult(request, report, path),
    });
    const { stages, ...rest } = result;
    const [zygote] = this.#alive;
    return { ...rest, ...(zygote && { loader: zygote.loader }), timings: { waitMs, runMs, ...stages } };
  }

  /** Writes a document in another format, as a warm-up document for the engine that reads that format. */
  async writeAs(format: TargetFormat | EngineSource, input: Uint8Array, run: EngineRun): Promise<Buffer> {
    const job = {
      input,
      suffix: suffixOf(format),
      filter: exportFilterOf(format),
      accept: (_: unknown, path: string) => readOutput(path),
    } as const;
    return (await this.#run(run, job)).result;
  }

  async #run<T>(run: EngineRun, job: ZygoteJob<T>): Promise<ZygoteResult<T>> {
    const calledAt = performance.now();
    return await bounded(run, async (signal, started) => {
      this.#requireOpen();
      const beside = this.#zygoteBeside(run);
      const zygote = beside ?? (await this.#pool.take(signal));
      const free = beside === undefined ? this.#slotOf(zygote) : () => {};
      const takenAt = performance.now();
      this.#running++;
      run.slow?.addEventListener('abort', free, { once: true });
      const onStart = () => {
        started();
        run.onStart?.();
      };
      try {
        const done = await zygote.convert(job, signal, { slow: run.slow, isLow: run.isLow, onStart });
        return { ...done, waitMs: takenAt - calledAt + done.waitMs };
      } finally {
        run.slow?.removeEventListener('abort', free);
        free();
        this.#running--;
      }
    });
  }

  /** Returns a function that frees the slot, once. */
  #slotOf(zygote: Zygote): () => void {
    let isHeld = true;
    return () => {
      if (isHeld && !zygote.isEnded) this.#pool.put(zygote);
      isHeld = false;
    };
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted) throw new EngineError('unavailable', 'the engine is closed');
    if (this.#startFailure !== undefined) throw this.#startFailure;
  }

  /** For a document that is slow from the start: the zygote with the fewest children beside its slot. */
  #zygoteBeside({ slow }: EngineRun): Zygote | undefined {
    if (slow?.aborted !== true) return undefined;
    return [...this.#alive].filter(({ canLend }) => canLend).sort((a, b) => a.lent - b.lent)[0];
  }

  openRows(): RowMaker | undefined {
    const [zygote] = this.#alive;
    if (zygote?.loader !== 'writer') return undefined;
    return new KitRowMaker((signal, work) => this.#takeTurn(signal, work));
  }

  async #takeTurn<T>(signal: AbortSignal, work: (zygote: Zygote) => Promise<T>): Promise<T> {
    this.#requireOpen();
    const isPreferred = (zygote: Zygote) => zygote.lent === 0;
    const zygote = await this.#pool.take(signal, { isPreferred, isPatient: true });
    const free = this.#slotOf(zygote);
    const timer = setTimeout(free, ROW_SLOT_MS_MAX);
    this.#running++;
    try {
      return await work(zygote);
    } finally {
      clearTimeout(timer);
      this.#running--;
      free();
    }
  }

  health(): EngineHealth {
    const [zygote] = this.#alive;
    return {
      ready: zygote !== undefined && !this.#closing.signal.aborted,
      slots: this.#zygoteCount,
      running: this.#running,
      waiting: this.#pool.waiting,
      ...(zygote === undefined ? {} : { version: zygote.version, loader: zygote.loader }),
      ...(this.#sandbox === undefined ? {} : { sandbox: this.#sandbox }),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pool.rejectAll(new EngineError('unavailable', 'the engine is closed'));
    await Promise.all(this.#supervisors);
    if (this.#workDir !== '') await removeDir(this.#workDir);
  }

  /** Keeps one zygote alive until the engine closes. Settles `first` with the outcome of the first start. */
  async #supervise(
    paths: { hostPath: string; programDir: string },
    first: PromiseWithResolvers<void>,
  ): Promise<void> {
    const { signal } = this.#closing;
    let delayMs = RESTART_DELAY_MS_MIN;
    while (!signal.aborted) {
      const name = `zygote-${++this.#starts}`;
      const startedAt = performance.now();
      const end = await this.#live(name, paths, first);
      let reason = end.detail;
      await removeDir(join(this.#workDir, name)).catch((error) => {
        reason += `; its directory cannot be removed: ${error.message}`;
      });
      if (signal.aborted) break;
      if (performance.now() - startedAt > STABLE_MS) delayMs = RESTART_DELAY_MS_MIN;
      const { how } = end;
      this.#onEvent({ type: 'engine-ended', engine: this.name, how, reason, restartInMs: delayMs });
      await delay(delayMs, undefined, { signal }).catch(() => {});
      delayMs = Math.min(2 * delayMs, RESTART_DELAY_MS_MAX);
    }
  }

  /** Runs one zygote in a directory of that name. Returns why it ended, or did not start. */
  async #live(
    name: string,
    paths: { hostPath: string; programDir: string },
    first: PromiseWithResolvers<void>,
  ): Promise<{ how: EngineEnd; detail: string }> {
    const startedAt = performance.now();
    try {
      const workDir = makeJobDir(this.#workDir, name);
      const options = { ...paths, ...this.#reads, workDir, sandbox: this.#demand };
      const zygote = await Zygote.start(options, this.#closing.signal);
      this.#sandbox = zygote.sandbox;
      this.#onEvent({
        type: 'engine-started',
        engine: this.name,
        version: zygote.version,
        sandbox: zygote.sandbox,
        startMs: performance.now() - startedAt,
      });
      first.resolve();
      return await this.#serve(zygote);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#onStartFailure(new EngineError('unavailable', reason, { cause: error }), first);
      return { how: 'not-started', detail: reason };
    }
  }

  /** Lends a zygote out until it ends or the engine closes. Returns why it ended. */
  async #serve(zygote: Zygote): Promise<ZygoteEnd> {
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
    this.#pool.remove(zygote);
    await zygote.close();
    return end;
  }

  #onStartFailure(error: EngineError, first: PromiseWithResolvers<void>): void {
    first.reject(error);
    if (this.#alive.size > 0) return;
    // Do not wait: a caller with another engine can use that one now.
    this.#startFailure = error;
    this.#pool.rejectAll(error);
  }
}
