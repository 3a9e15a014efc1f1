import { availableParallelism } from 'node:os';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { bounded, untilAborted } from '../bounded.ts';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineHealth,
  type EngineResult,
  type EngineRun,
  type RowMaker,
} from '../engine.ts';
import { warmUpDocuments } from '../warm-up.ts';
import { warmUpsWithoutText } from '../warm-up-sheets.ts';
import { LibreOfficeKitEngine, type LibreOfficeKitOptions } from './libreofficekit.ts';

const IDLE_MS = 5 * 60_000;
const WARM_UP_TIMEOUT_MS = 30_000;

export interface SourceRouterOptions extends Omit<LibreOfficeKitOptions, 'reads'> {
  /** How long the engine of a format other than DOCX outlives its last job. */
  idleMs?: number;
}

/** An engine for one source, started on first use. */
interface Family {
  engine: Promise<LibreOfficeKitEngine>;
  users: number;
  idle?: NodeJS.Timeout;
}

/**
 * LibreOfficeKit with a family of zygotes for each source format. The profile determines what LibreOffice can load, and
 * LibreOffice reads it only once. The DOCX family always runs; each other family is half as large and runs on demand.
 */
export class SourceRouter implements Engine {
  readonly name = 'libreofficekit';
  readonly #docx: LibreOfficeKitEngine;
  readonly #options: LibreOfficeKitOptions;
  readonly #idleMs: number;
  readonly #families = new Map<EngineSource, Family>();
  readonly #closings = new Set<Promise<void>>();
  #isClosed = false;

  constructor({ idleMs = IDLE_MS, ...options }: SourceRouterOptions = {}) {
    this.#docx = new LibreOfficeKitEngine(options);
    const zygotes = Math.ceil((options.zygotes ?? availableParallelism()) / 2);
    this.#options = { ...options, zygotes };
    this.#idleMs = idleMs;
  }

  async start(): Promise<void> {
    await this.#docx.start();
  }

  async convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult> {
    if (request.from === 'docx') return await this.#docx.convert(input, request, run);
    if (this.#isClosed) throw new EngineError('unavailable', 'the engine is closed');
    const calledAt = performance.now();
    const family = this.#enter(request.from);
    try {
      const engine = await bounded(run, (signal) => untilAborted(family.engine, signal));
      const startMs = performance.now() - calledAt;
      const timeoutMs = Math.max(1, run.timeoutMs - startMs);
      const result = await engine.convert(input, request, { ...run, timeoutMs });
      return { ...result, timings: { ...result.timings, waitMs: startMs + result.timings.waitMs } };
    } finally {
      this.#leave(request.from, family);
    }
  }

  openRows(): RowMaker | undefined {
    return this.#docx.openRows();
  }

  /** The health of the DOCX family, with the job counts of all families. */
  health(): EngineHealth {
    const health = this.#docx.health();
    for (const { users } of this.#families.values()) health.running += users;
    return health;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [source, family] of this.#families) this.#end(source, family);
    await Promise.all([this.#docx.close(), ...this.#closings]);
  }

  #enter(source: EngineSource): Family {
    let family = this.#families.get(source);
    if (family === undefined) {
      const started = { engine: this.#startEngine(source), users: 0 };
      started.engine.catch(() => {
        if (this.#families.get(source) === started) this.#families.delete(source);
      });
      this.#families.set(source, started);
      family = started;
    }
    clearTimeout(family.idle);
    family.users++;
    return family;
  }

  #leave(source: EngineSource, family: Family): void {
    family.users--;
    if (family.users > 0 || this.#families.get(source) !== family) return;
    family.idle = setTimeout(() => this.#end(source, family), this.#idleMs);
    family.idle.unref();
  }

  #end(source: EngineSource, family: Family): void {
    clearTimeout(family.idle);
    // If it did not start, another engine may have taken its place.
    if (this.#families.get(source) === family) this.#families.delete(source);
    const closing = family.engine
      .then((engine) => engine.close())
      .catch(() => {})
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }

  /** The DOCX family writes the warm-up texts of the new one: nothing else here can write a DOC. */
  async #warmUpsFor(source: EngineSource): Promise<readonly Uint8Array[]> {
    const own = warmUpsWithoutText(source);
    if (own !== undefined) return own;
    const run = { timeoutMs: WARM_UP_TIMEOUT_MS, signal: new AbortController().signal };
    return await Promise.all(warmUpDocuments().map((document) => this.#docx.writeAs(source, document, run)));
  }

  async #startEngine(source: EngineSource): Promise<LibreOfficeKitEngine> {
    const warmUps = await this.#warmUpsFor(source);
    const engine = new LibreOfficeKitEngine({ ...this.#options, reads: { source, warmUps } });
    await engine.start();
    return engine;
  }
}
