import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type FormRow, FormState } from '@scriptorium/contracts/form-state';
import { bounded } from '../bounded.ts';
import {
  type ConversionRequest,
  EngineError,
  type EngineResult,
  type EngineRun,
  type MissingFont,
  type RowForm,
  type RowMaker,
} from '../engine.ts';
import { requireSuitableTexts } from '../form.ts';
import { exportFilterOf, filterOptionsOf, suffixOf } from '../formats.ts';
import { writeInput } from '../work-dir.ts';
import { type JobReport, parseMissingFonts } from './host-lines.ts';
import { readKitResult } from './kit-result.ts';
import type { Zygote } from './zygote.ts';
import type { LentChild } from './zygote-child.ts';
import { fillOrderOf, orderOf } from './zygote-job.ts';

/** Documents that one child loads. They stay open, because LibreOffice crashes if it closes one before it loads another. */
const LOADS_MAX = 24;
const LOADED_BYTES_MAX = 16 * 2 ** 20;
/** Pages of the results of one child. */
const PAGES_MAX = 1_000;
/**
 * Time in one child. Its limit of CPU time (`engine-host/confine.c`) is for all of its rows. It leaves each row as much as a
 * document of its own may take.
 */
const RUN_MS_MAX = 8_000;

/** Lends a slot of the engine for one row, after the callers with single documents. */
export type TakeTurn = <T>(signal: AbortSignal, work: (zygote: Zygote) => Promise<T>) => Promise<T>;

/** `engine-host/form.cpp`: the text of a place in what a row lacks. */
const NO_PLACE = '\u0001';

/** A form in a child. */
interface LoadedForm {
  number: number;
  state: FormState;
  missingFonts: MissingFont[];
}

/** What a child has done. */
class Used {
  files = 0;
  loads = 0;
  formLoads = 0;
  bytes = 0;
  pages = 0;
  runMs = 0;
  readonly forms = new Map<RowForm, LoadedForm>();

  get isSpent(): boolean {
    return (
      this.loads >= LOADS_MAX ||
      this.bytes >= LOADED_BYTES_MAX ||
      this.pages >= PAGES_MAX ||
      this.runMs >= RUN_MS_MAX
    );
  }
}

/** Makes rows in children of LibreOfficeKit's zygotes, one child after the other. */
export class KitRowMaker implements RowMaker {
  readonly #takeTurn: TakeTurn;
  #child: LentChild | undefined;
  #used = new Used();

  constructor(takeTurn: TakeTurn) {
    this.#takeTurn = takeTurn;
  }

  async convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult> {
    return await this.#make(request, run, async (child, signal) => {
      const files = this.#filesFor(request);
      await this.#load(child, files.from, input);
      const order = {
        ...request,
        filter: exportFilterOf(request.to, request.from),
        options: filterOptionsOf(request),
      };
      const report = await child.run('run', orderOf(order, files), signal);
      return { report, files };
    });
  }

  async fill(form: RowForm, row: FormRow, request: ConversionRequest, run: EngineRun): Promise<EngineResult> {
    requireSuitableTexts(row.texts);
    return await this.#make(request, run, async (child, signal) => {
      const files = { ...this.#filesFor(request), from: `texts-${this.#used.files}` };
      const { number, missingFonts, state } = await this.#formFor(child, form, row, signal);
      const entries = [state.take(row).join(','), ...row.texts.map((text) => text ?? NO_PLACE)];
      await writeInput(
        join(child.dir, files.from),
        Buffer.from(entries.map((entry) => `${entry}\0`).join('')),
      );
      const order = { filter: exportFilterOf(request.to, request.from), options: filterOptionsOf(request) };
      const report = await child.run('fill', fillOrderOf(order, number, files), signal);
      return { report, files, missingFonts };
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#used = new Used();
    await child?.end();
  }

  /** Runs one row in a slot. After a failure, the child is ended, and nothing of the row is left. */
  async #make(
    request: ConversionRequest,
    run: EngineRun,
    work: (
      child: LentChild,
      signal: AbortSignal,
    ) => Promise<{ report: JobReport; files: { from: string; to: string }; missingFonts?: MissingFont[] }>,
  ): Promise<EngineResult> {
    const calledAt = performance.now();
    return await this.#takeTurn(run.signal, async (zygote) => {
      const startedAt = performance.now();
      try {
        return await bounded(run, async (signal, started) => {
          started();
          const child = await this.#childOf(zygote, signal);
          const { report, files, missingFonts } = await work(child, signal);
          const { stages, ...result } = await readKitResult(request, report, join(child.dir, files.to));
          for (const file of Object.values(files)) removeFile(join(child.dir, file));
          const runMs = performance.now() - startedAt;
          this.#used.runMs += runMs;
          this.#used.pages += result.documentPages;
          const timings = { waitMs: startedAt - calledAt, runMs, ...stages };
          return { ...result, ...(missingFonts && { missingFonts }), loader: zygote.loader, timings };
        });
      } catch (error) {
        await this.close();
        throw error;
      }
    });
  }

  async #childOf(zygote: Zygote, signal: AbortSignal): Promise<LentChild> {
    if (this.#child?.isGone === true || this.#used.isSpent) await this.close();
    this.#child ??= await zygote.lend(signal);
    return this.#child;
  }

  #filesFor({ from, to }: ConversionRequest): { from: string; to: string } {
    const number = ++this.#used.files;
    return { from: `input-${number}.${from}`, to: `output-${number}.${suffixOf(to)}` };
  }

  async #load(child: LentChild, name: string, bytes: Uint8Array): Promise<void> {
    this.#used.loads++;
    this.#used.bytes += bytes.length;
    await writeInput(join(child.dir, name), bytes);
  }

  async #formFor(child: LentChild, form: RowForm, row: FormRow, signal: AbortSignal): Promise<LoadedForm> {
    const loaded = this.#used.forms.get(form);
    if (loaded?.state.serves(row)) return loaded;
    const name = `form-${++this.#used.files}.docx`;
    await this.#load(child, name, form.bytes);
    const { text } = await child.run('form', name, signal).catch(refusal);
    const state = new FormState(form.around);
    const opened = { number: this.#used.formLoads++, missingFonts: parseMissingFonts(text), state };
    this.#used.forms.set(form, opened);
    return opened;
  }
}

/** A form that does not load will not load for other rows. */
function refusal(error: unknown): never {
  const isUnreadable = error instanceof EngineError && error.kind === 'unreadable';
  throw isUnreadable ? new EngineError('unsupported', error.message) : error;
}

/** A file that is left is removed with the directory of the child. */
function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The document may have removed it.
  }
}
