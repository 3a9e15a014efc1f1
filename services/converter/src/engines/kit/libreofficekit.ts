import { availableParallelism } from 'node:os';
import type { TargetFormat } from '@scriptorium/contracts/jobs/target-formats';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { bounded } from '../bounded.ts';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineHealth,
  type EngineListener,
  type EngineResult,
  type EngineRun,
  type RowMaker,
  UnfitHostError,
} from '../engine.ts';
import { exportFilterOf, filterOptionsOf, suffixOf } from '../formats.ts';
import { findHost, findProgramDir } from '../installation.ts';
import { readOutput } from '../output.ts';
import type { SandboxDemand } from '../sandbox.ts';
import { countingHiddenSlides } from '../shown-slides.ts';
import { warmUpDocuments } from '../warm-up.ts';
import { defaultWorkRoot, makeWorkDir, removeDir, removeStaleWorkDirs } from '../work-dir.ts';
import { readKitResult } from './kit-result.ts';
import { KitRowMaker } from './row-maker.ts';
import { RowTurns } from './row-turns.ts';
import type { Zygote } from './zygote.ts';
import type { ZygoteJob, ZygoteResult } from './zygote-job.ts';
import type { WearLimits } from './zygote-wear.ts';
import { Zygotes } from './zygotes.ts';

export interface LibreOfficeKitOptions {
  /** Number of zygotes; each runs one conversion at a time. By default one per core. */
  zygotes?: number;
  /** Where its private directory is created. By default in memory, if the host has a file system in memory. */
  workRoot?: string;
  /** What to do if the kernel lacks a wall. By default `required`: do not start. */
  sandbox?: SandboxDemand;
  /** A folder with more fonts than those of the host. */
  fonts?: string | undefined;
  /** Whether it starts with one zygote, and the others follow. */
  startsWithOne?: boolean;
  onEvent?: EngineListener;
  /** When a zygote is replaced. */
  wear?: Partial<WearLimits>;
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
  readonly #fonts: string | undefined;
  readonly #startsWithOne: boolean;
  readonly #onEvent: EngineListener;
  readonly #hostPath: string | undefined;
  readonly #wear: Partial<WearLimits> | undefined;
  readonly #closing = new AbortController();
  /** Frees the slot of each row that has one, the earliest first. */
  readonly #rowSlots = new Set<() => void>();
  readonly #rowTurns: RowTurns;
  #zygotes: Zygotes | undefined;
  #workDir = '';
  #running = 0;

  constructor(options: LibreOfficeKitOptions = {}) {
    this.#reads = options.reads ?? { source: 'docx', warmUps: warmUpDocuments() };
    this.name = this.#reads.source === 'docx' ? 'libreofficekit' : `libreofficekit-${this.#reads.source}`;
    this.#zygoteCount = options.zygotes ?? availableParallelism();
    this.#rowTurns = new RowTurns(this.#zygoteCount);
    this.#workRoot = options.workRoot;
    this.#demand = options.sandbox ?? 'required';
    this.#fonts = options.fonts;
    this.#hostPath = options.hostPath;
    this.#wear = options.wear;
    this.#startsWithOne = options.startsWithOne ?? false;
    this.#onEvent = options.onEvent ?? (() => {});
  }

  async start(): Promise<void> {
    if (this.#closing.signal.aborted) throw new EngineError('unavailable', 'the engine is closed');
    const [hostPath, programDir] = [this.#hostPath ?? (await findHost()), await findProgramDir()];
    if (hostPath === undefined) throw new UnfitHostError('the engine host is not built');
    if (programDir === undefined) throw new UnfitHostError('there is no LibreOffice on this host');
    const root = this.#workRoot ?? (await defaultWorkRoot());
    await removeStaleWorkDirs(root);
    this.#workDir = await makeWorkDir(root);
    this.#zygotes = new Zygotes({
      ...this.#reads,
      engine: this.name,
      count: this.#zygoteCount,
      workDir: this.#workDir,
      hostPath,
      programDir,
      sandbox: this.#demand,
      fonts: this.#fonts,
      startsWithOne: this.#startsWithOne,
      wear: this.#wear,
      onEvent: this.#onEvent,
    });
    try {
      await this.#zygotes.start();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Also rejects with `unsupported`, if the document has another format than this engine reads. */
  async convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult> {
    if (request.from !== this.#reads.source)
      throw new EngineError('unsupported', `${this.name} does not read ${request.from}`);
    const isCounting = this.#alive[0]?.loader === 'libreofficekit';
    const counted = isCounting ? await countingHiddenSlides(input, request) : request;
    const { result, waitMs, runMs } = await this.#run(run, {
      input,
      suffix: suffixOf(request.to),
      filter: exportFilterOf(request.to, request.from),
      updateFields: request.updateFields,
      comments: request.comments,
      isInPieces: request.isInPieces,
      options: filterOptionsOf(counted),
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
      filter: exportFilterOf(format, this.#reads.source),
      accept: (_: unknown, path: string) => readOutput(path),
    } as const;
    return (await this.#run(run, job)).result;
  }

  async #run<T>(run: EngineRun, job: ZygoteJob<T>): Promise<ZygoteResult<T>> {
    const calledAt = performance.now();
    return await bounded(run, async (signal, started) => {
      const zygotes = this.#open();
      const beside = this.#zygoteBeside(run);
      if (beside === undefined) this.#rowTurns.noteDocument();
      const zygote = beside ?? (await this.#takeSlot(zygotes, signal));
      const free = beside === undefined ? zygotes.slotOf(zygote) : () => {};
      const takenAt = performance.now();
      this.#running++;
      run.slow?.addEventListener('abort', free, { once: true });
      const onStart = () => {
        started();
        run.onStart?.();
      };
      try {
        const done = await zygote.convert(job, signal, { ...run, onStart });
        return { ...done, waitMs: takenAt - calledAt + done.waitMs };
      } finally {
        run.slow?.removeEventListener('abort', free);
        free();
        this.#running--;
      }
    });
  }

  /** A row gives its slot up to a document that would wait: its child is lent, and needs no slot to go on. */
  #takeSlot(zygotes: Zygotes, signal: AbortSignal): Promise<Zygote> {
    const taking = zygotes.take(signal);
    this.#giveRowSlots(zygotes);
    return taking;
  }

  #giveRowSlots(zygotes: Zygotes): void {
    for (const free of this.#rowSlots) if (zygotes.waiting > 0) free();
  }

  get #alive(): Zygote[] {
    return this.#zygotes?.alive ?? [];
  }

  #open(): Zygotes {
    if (this.#closing.signal.aborted || this.#zygotes === undefined)
      throw new EngineError('unavailable', 'the engine is closed');
    this.#zygotes.requireStart();
    return this.#zygotes;
  }

  /** For a test, and for a document that is slow from the start: the zygote with the fewest children beside its slot. */
  #zygoteBeside({ slow, isProbe }: EngineRun): Zygote | undefined {
    if (slow?.aborted !== true && !isProbe) return undefined;
    return this.#alive.filter(({ canLend }) => canLend).sort((a, b) => a.lent - b.lent)[0];
  }

  openRows(): RowMaker | undefined {
    const [zygote] = this.#alive;
    if (zygote?.loader !== 'writer') return undefined;
    return new KitRowMaker((signal, work) => this.#takeTurn(signal, work));
  }

  async #takeTurn<T>(signal: AbortSignal, work: (zygote: Zygote) => Promise<T>): Promise<T> {
    const zygotes = this.#open();
    const isPreferred = (zygote: Zygote) => zygote.lent === 0;
    const endTurn = await this.#rowTurns.enter(signal);
    const zygote = await zygotes.take(signal, { isPreferred, isPatient: true }).catch((error: unknown) => {
      endTurn();
      throw error;
    });
    const freeSlot = zygotes.slotOf(zygote);
    const free = () => {
      this.#rowSlots.delete(free);
      freeSlot();
    };
    this.#rowSlots.add(free);
    this.#giveRowSlots(zygotes);
    this.#running++;
    try {
      return await work(zygote);
    } finally {
      this.#running--;
      free();
      endTurn();
    }
  }

  health(): EngineHealth {
    const [zygote] = this.#alive;
    return {
      ready: zygote !== undefined && !this.#closing.signal.aborted,
      slots: this.#zygoteCount,
      running: this.#running,
      waiting: this.#zygotes?.waiting ?? 0,
      ...(zygote === undefined ? {} : { version: zygote.version, loader: zygote.loader }),
      ...(this.#zygotes?.sandbox === undefined ? {} : { sandbox: this.#zygotes.sandbox }),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#zygotes?.close();
    if (this.#workDir !== '') await removeDir(this.#workDir);
  }
}
