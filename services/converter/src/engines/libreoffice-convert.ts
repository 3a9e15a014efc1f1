import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Pool } from '@scriptorium/shares/pool';
import libre from 'libreoffice-convert';
import { bounded } from './bounded.ts';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineHealth,
  type EngineResult,
  type EngineRun,
} from './engine.ts';
import { writeFontConfig } from './font-config.ts';
import { filterOptionsOf, IMPORT_FILTERS, targetFilterOf } from './formats.ts';
import { findOffice, type Office } from './office.ts';
import { checkOutput, type Output, requireSize } from './output.ts';
import { requirePages } from './page-range.ts';
import { engineEnvironment, writeProfile } from './profile.ts';
import type { SandboxDemand } from './sandbox.ts';
import { countingHiddenSlides } from './shown-slides.ts';
import {
  defaultWorkRoot,
  killAndRemove,
  makeJobDir,
  makeWorkDir,
  removeStaleWorkDirs,
  workDirFails,
} from './work-dir.ts';

export interface LibreOfficeConvertOptions {
  /** Concurrent conversions, one LibreOffice process each. By default one per core. */
  slots?: number;
  /** Where its private directory is created. By default in memory, if the host has a file system in memory. */
  workRoot?: string;
  /** What to do if LibreOffice cannot be confined. By default `required`: do not start. */
  sandbox?: SandboxDemand;
  /** A folder with more fonts than those of the host. */
  fonts?: string | undefined;
}

/**
 * Starts a fresh LibreOffice process for each document, through the `libreoffice-convert` package. Slow, but needs no
 * build.
 *
 * It cannot update fields or report missing fonts. It converts a document twice to count its pages, if the result is
 * not a PDF or only part of one.
 */
export class LibreOfficeConvertEngine implements Engine {
  readonly name = 'libreoffice-convert';
  readonly #slots: number;
  readonly #workRoot: string | undefined;
  readonly #demand: SandboxDemand;
  readonly #fonts: string | undefined;
  readonly #pool = new Pool<number>((message) => new EngineError('aborted', message));
  readonly #closing = new AbortController();
  readonly #runs = new Set<Promise<unknown>>();
  #office: Office | undefined;
  #workDir = '';
  #jobs = 0;

  constructor(options: LibreOfficeConvertOptions = {}) {
    this.#slots = options.slots ?? availableParallelism();
    this.#workRoot = options.workRoot;
    this.#demand = options.sandbox ?? 'required';
    this.#fonts = options.fonts;
  }

  async start(): Promise<void> {
    if (this.#closing.signal.aborted) throw new EngineError('unavailable', 'the engine is closed');
    this.#office = await findOffice(this.#demand);
    const root = this.#workRoot ?? (await defaultWorkRoot());
    await removeStaleWorkDirs(root);
    this.#workDir = await makeWorkDir(root);
    for (let slot = 0; slot < this.#slots; slot++) this.#pool.put(slot);
  }

  async convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult> {
    if (request.updateFields !== undefined && request.updateFields !== 'none')
      throw new EngineError('unsupported', `${this.name} cannot update fields`);
    const calledAt = performance.now();
    return await bounded(run, async (signal, started) => {
      if (this.#closing.signal.aborted || this.#workDir === '')
        throw new EngineError('unavailable', 'the engine is closed');
      const slot = await this.#pool.take(signal);
      started();
      run.onStart?.();
      const startedAt = performance.now();
      const job = this.#convert(input, request, AbortSignal.any([signal, this.#closing.signal]));
      this.#runs.add(job);
      try {
        const timings = { waitMs: startedAt - calledAt, runMs: 0 };
        const result = { ...(await job), missingFonts: undefined, timings };
        timings.runMs = performance.now() - startedAt;
        return result;
      } finally {
        this.#runs.delete(job);
        this.#pool.put(slot);
      }
    });
  }

  health(): EngineHealth {
    return {
      ready: this.#workDir !== '' && !this.#closing.signal.aborted,
      slots: this.#slots,
      running: this.#runs.size,
      waiting: this.#pool.waiting,
      ...(this.#office === undefined ? {} : { sandbox: this.#office.sandbox }),
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pool.rejectAll(new EngineError('unavailable', 'the engine is closed'));
    await Promise.allSettled(this.#runs);
    if (this.#workDir !== '') await killAndRemove(this.#workDir);
    this.#workDir = '';
  }

  async #convert(input: Uint8Array, request: ConversionRequest, signal: AbortSignal) {
    if (request.isInPieces) throw new EngineError('unsupported', `${this.name} does not join tables`);
    const counted = await countingHiddenSlides(input, request);
    let documentPages: number | undefined;
    if (request.to !== 'pdf' || request.pages !== undefined) {
      const whole = await this.#run(input, { from: request.from, to: 'pdf' }, signal);
      documentPages = whole.pages ?? 0;
      if (request.pages !== undefined) requirePages(request.pages, documentPages);
    }
    const { bytes, folder, pages } = await this.#run(input, counted, signal);
    const count = pages ?? documentPages ?? 0;
    return { bytes, folder, pages: count, documentPages: documentPages ?? count };
  }

  async #run(
    input: Uint8Array,
    request: ConversionRequest,
    signal: AbortSignal,
  ): Promise<Output & { folder: string }> {
    const dir = makeJobDir(this.#workDir, `job-${++this.#jobs}`);
    try {
      const { bytes, folder } = await this.#callPackage(Buffer.from(input), request, dir, signal);
      requireSize(bytes.length);
      return { ...(await checkOutput(request.to, bytes)), folder };
    } finally {
      await killAndRemove(dir).catch(workDirFails);
    }
  }

  #callPackage(
    input: Buffer,
    request: ConversionRequest,
    dir: string,
    signal: AbortSignal,
  ): Promise<{ bytes: Buffer; folder: string }> {
    return new Promise((resolve, reject) => {
      const options = {
        // Not the suffix of the result: the package would mistake the source for it.
        fileName: 'input.source',
        tmpOptions: { tmpdir: dir },
        sofficeBinaryPaths: this.#office === undefined ? [] : [this.#office.command],
        sofficeAdditionalArgs: ['--norestore', `--infilter=${IMPORT_FILTERS[request.from].filter}`],
        // One read: the file exists when LibreOffice ends, or never.
        asyncOptions: { times: 1 },
        execOptions: {
          env: {
            ...engineEnvironment(dir),
            ...writeFontConfig(dir, this.#fonts),
            ...this.#office?.environment,
          },
          signal,
          killSignal: 'SIGKILL',
        },
      };
      const filter = targetFilterOf(request.to, request.from);
      // One string: the package quotes a filter with a space in its name, and LibreOffice would take the quotes as part
      // of it.
      const format = [request.to, filter, filterOptionsOf(request)]
        .filter((part) => part !== undefined)
        .join(':');
      let folder = dir;
      libre.convertWithOptions(input, format, undefined, options, (error, bytes) => {
        if (error) reject(toEngineError(error));
        else resolve({ bytes, folder: pathToFileURL(folder).href });
      });
      // The package has created its directories and starts LibreOffice in a later turn of the event loop.
      for (const name of readdirSync(dir))
        if (name.startsWith('soffice-')) writeProfile(join(dir, name), this.#fonts);
        else if (name.startsWith('libreofficeConvert_')) folder = join(dir, name);
    });
  }
}

function toEngineError(error: Error & { code?: unknown; signal?: unknown }): EngineError {
  if (error.signal === 'SIGXCPU' || error.signal === 'SIGXFSZ')
    return new EngineError('exhausted', `ended by ${error.signal}`, { cause: error });
  // If a document does not load, LibreOffice exits with success: it prints a message or leaves no output
  // (libreoffice.mjs).
  if (error.code === 'ENOENT' || error.message.includes('could not be loaded')) {
    return new EngineError('unreadable', 'LibreOffice did not load the document', { cause: error });
  }
  return new EngineError('crashed', error.message, { cause: error });
}
