import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import libre from 'libreoffice-convert';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineHealth,
  type EngineResult,
  type EngineRun,
} from '../engine.ts';
import { bounded } from './bounded.ts';
import { findCommand } from './installation.ts';
import { countPages } from './pdf.ts';
import { Pool } from './pool.ts';
import { engineEnvironment, writeProfile } from './profile.ts';
import { defaultWorkRoot, killAndRemove, makeJobDir, makeWorkDir, removeStaleWorkDirs } from './work-dir.ts';

const OUTPUT_BYTES_MAX = 100 * 2 ** 20;

export interface LibreOfficeConvertOptions {
  /** Conversions at the same time, a LibreOffice process each. By default one for each core. */
  slots?: number;
  /** Where its private directory is made. By default memory, where the host has a file system in memory. */
  workRoot?: string;
}

/** A fresh LibreOffice process for each document, by the `libreoffice-convert` package. Slow, but needs no build. */
export class LibreOfficeConvertEngine implements Engine {
  readonly name = 'libreoffice-convert';
  readonly #slots: number;
  readonly #workRoot: string | undefined;
  readonly #pool = new Pool<number>();
  readonly #closing = new AbortController();
  readonly #runs = new Set<Promise<unknown>>();
  #command = '';
  #workDir = '';
  #jobs = 0;

  constructor(options: LibreOfficeConvertOptions = {}) {
    this.#slots = options.slots ?? availableParallelism();
    this.#workRoot = options.workRoot;
  }

  async start(): Promise<void> {
    if (this.#closing.signal.aborted) throw new EngineError('unavailable', 'the engine is closed');
    const command = await findCommand();
    if (command === undefined) throw new EngineError('unavailable', 'there is no LibreOffice on this host');
    const root = this.#workRoot ?? (await defaultWorkRoot());
    await removeStaleWorkDirs(root);
    this.#command = command;
    this.#workDir = await makeWorkDir(root);
    for (let slot = 0; slot < this.#slots; slot++) this.#pool.put(slot);
  }

  async convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult> {
    const calledAt = performance.now();
    return await bounded(run, async (signal, started) => {
      if (this.#closing.signal.aborted || this.#workDir === '')
        throw new EngineError('unavailable', 'the engine is closed');
      const slot = await this.#pool.take(signal);
      started();
      const startedAt = performance.now();
      const job = this.#run(input, request, AbortSignal.any([signal, this.#closing.signal]));
      this.#runs.add(job);
      try {
        const bytes = await job;
        const timings = { waitMs: startedAt - calledAt, runMs: performance.now() - startedAt };
        return { bytes, pages: countPages(bytes), timings };
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
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#pool.rejectAll(new EngineError('unavailable', 'the engine is closed'));
    await Promise.allSettled(this.#runs);
    if (this.#workDir !== '') await killAndRemove(this.#workDir);
    this.#workDir = '';
  }

  async #run(input: Uint8Array, request: ConversionRequest, signal: AbortSignal): Promise<Buffer> {
    const dir = await makeJobDir(this.#workDir, `job-${++this.#jobs}`);
    try {
      const bytes = await this.#callPackage(Buffer.from(input), request, dir, signal);
      if (bytes.length > OUTPUT_BYTES_MAX)
        throw new EngineError('exhausted', `the output has ${bytes.length} bytes`);
      return bytes;
    } finally {
      await killAndRemove(dir);
    }
  }

  #callPackage(input: Buffer, request: ConversionRequest, dir: string, signal: AbortSignal): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const options = {
        fileName: `input.${request.from}`,
        tmpOptions: { tmpdir: dir },
        sofficeBinaryPaths: [this.#command],
        sofficeAdditionalArgs: ['--norestore', '--infilter=MS Word 2007 XML'],
        // One read: the file is there when LibreOffice ended, or never.
        asyncOptions: { times: 1 },
        execOptions: { env: engineEnvironment(dir), signal, killSignal: 'SIGKILL' },
      };
      libre.convertWithOptions(input, request.to, undefined, options, (error, bytes) => {
        if (error) reject(toEngineError(error));
        else resolve(bytes);
      });
      // The package has made its profile directory and will start LibreOffice in a later turn of the event loop.
      for (const name of readdirSync(dir)) if (name.startsWith('soffice-')) writeProfile(join(dir, name));
    });
  }
}

function toEngineError(error: Error & { code?: unknown }): EngineError {
  // LibreOffice ends with success where the document did not load: it says so, or just leaves no output.
  if (error.code === 'ENOENT' || error.message.includes('could not be loaded')) {
    return new EngineError('unreadable', 'LibreOffice did not load the document', { cause: error });
  }
  return new EngineError('crashed', error.message, { cause: error });
}
