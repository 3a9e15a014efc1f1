import type { FormRow } from '@scriptorium/contracts/form-state';
import type { DocumentLoader } from '@scriptorium/contracts/jobs/conversion-report';
import type { Conversion } from '@scriptorium/contracts/jobs/convert';
import type { TargetFormat } from '@scriptorium/contracts/jobs/target-formats';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import type { Sandbox } from './sandbox.ts';

/** The options of a conversion that apply after the sanitizer. */
export interface ConversionRequest
  extends Partial<
    Omit<Conversion, 'from' | 'to' | 'revisions' | 'paper' | 'delimiter' | 'strictFonts' | 'dpi'>
  > {
  from: EngineSource;
  /** `png` is the first page; `html` is one file with its images in it. */
  to: TargetFormat;
  /** Whether long tables are in pieces (`PreparedSource`). An engine that cannot join them rejects with `unsupported`. */
  isInPieces?: boolean | undefined;
  /** Whether the blank pages that the engine inserts are pages of a PDF. */
  hasBlankPages?: boolean | undefined;
}

export interface EngineRun {
  /** For the whole call, including the wait for a free engine. */
  timeoutMs: number;
  signal: AbortSignal;
  /**
   * Aborted when the document must give way to others: it gets less of the processor, and its slot is free. If it is aborted
   * before, the document takes no slot. An engine may lack this.
   */
  slow?: AbortSignal | undefined;
  /** Whether it gets less of the processor from the start, even in a slot. */
  isLow?: boolean | undefined;
  /** Whether it tests the engine: it takes no slot, and gives way to none. */
  isProbe?: boolean;
  /** Called when a process has received the document. */
  onStart?(): void;
}

export interface EngineResult {
  bytes: Buffer;
  /** Pages of the result if it is a PDF; otherwise of the document. */
  pages: number;
  /** Pages of the document after layout. */
  documentPages: number;
  /** Font families of the document that the engine replaced; undefined if the engine cannot report them. */
  missingFonts: MissingFont[] | undefined;
  /** The URL of the folder in which the document was, to which links of a PDF may lead. */
  folder?: string;
  /** Undefined if the engine has only one way. */
  loader?: DocumentLoader;
  timings: EngineTimings;
}

/** A font family, or a list of them (`Arial;sans-serif`), of which none has the widths of the font that was used. */
export interface MissingFont {
  asked: string;
  /** Undefined if the engine does not report it. */
  used?: string;
}

export interface EngineTimings {
  /** Time until an engine was free. */
  waitMs: number;
  /** Time in the engine, including the three stages. */
  runMs: number;
  /** Time of the processor; undefined if the engine cannot measure it. */
  cpuMs?: number;
  /** The stages; undefined if the engine cannot separate them. */
  loadMs?: number;
  updateMs?: number;
  exportMs?: number;
}

export interface EngineHealth {
  /** True if a conversion that is sent now would start now or after those before it. */
  ready: boolean;
  /** Conversions that this engine runs concurrently. */
  slots: number;
  running: number;
  waiting: number;
  /** Product and version, once known. */
  version?: string;
  /** Once known, if the engine has several. */
  loader?: DocumentLoader;
  /** The walls around the processes that read documents, once known. */
  sandbox?: Sandbox;
}

/** A way to convert documents. Owned by `conversion/convert.ts`; both implementations pass `test/engines/engine.suite.ts`. */
export interface Engine {
  readonly name: string;
  /** Resolves when the engine accepts work. Rejects with `unavailable` if it cannot: `UnfitHostError` if it never will here. */
  start(): Promise<void>;
  /** Rejects only with an `EngineError`, and always within `run.timeoutMs` and a second. */
  convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult>;
  /** Opens a maker of rows; undefined, or missing, if the engine has none. */
  openRows?(): RowMaker | undefined;
  health(): EngineHealth;
  /** Ends running conversions, every process and every directory of this engine. */
  close(): Promise<void>;
}

/** A document with places and pieces (`filledRows` of `packages/contracts/src/jobs/rows.ts`). */
export interface RowForm {
  bytes: Buffer;
  /** For each piece, the one around it, or -1. */
  around: readonly number[];
}

/**
 * Makes the rows of one caller one after the other, several in one process. Each row takes a slot of the engine, after the
 * callers with single documents; between two rows, the slot is free. `run.timeoutMs` counts from the start of a row.
 *
 * Both ways reject only with an `EngineError`. After that, the next row gets another process.
 */
export interface RowMaker {
  convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult>;
  /**
   * Removes what a row lacks of a form, puts its texts into the places, and converts it. The same object is the same form. It is
   * loaded again only for a row that needs what another row has removed. It passes `requireSuitableForm` (`engines/form.ts`).
   * Rejects with `UnsuitableTexts` before it tries.
   */
  fill(form: RowForm, row: FormRow, request: ConversionRequest, run: EngineRun): Promise<EngineResult>;
  /** Ends its process. */
  close(): Promise<void>;
}

/** An engine's event for the operator. */
export type EngineEvent =
  | { type: 'engine-unavailable'; engine: string; reason: string }
  | { type: 'engine-started'; engine: string; version: string; sandbox: Sandbox; startMs: number }
  | { type: 'engine-worn'; engine: string; reason: string }
  | { type: 'engine-ended'; engine: string; how: EngineEnd; reason: string; restartInMs: number };

/** `given-up`: the process was there, but did not respond as it should. */
export type EngineEnd = 'not-started' | 'killed' | 'exited' | 'given-up';

export type EngineListener = (event: EngineEvent) => void;

/**
 * `unreadable`: the document does not load. `crashed`: the engine died on it, or left no valid result. `exhausted`: it
 * exceeded the limit on CPU time or output size. `timeout`: the run exceeded its time. `aborted`: the caller canceled.
 * `unavailable`: the document was not tried, because no engine was there or free in time. `unsupported`: this engine
 * lacks the option. `no-such-page`: the document ends before a requested page (`NoSuchPageError`).
 */
export type EngineErrorKind =
  | 'unreadable'
  | 'crashed'
  | 'exhausted'
  | 'timeout'
  | 'aborted'
  | 'unavailable'
  | 'unsupported'
  | 'no-such-page';

/** The failure of an engine. The message is for the log, not for a caller. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;
  /** Time of the processor that the document took, if it was measured. */
  cpuMs?: number;

  constructor(kind: EngineErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.kind = kind;
  }
}

/** This host lacks what the engine needs, and will lack it at the next attempt. */
export class UnfitHostError extends EngineError {
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options);
  }
}

/** The process was killed, but not by this service and not for a limit: the document may not be the cause. */
export class KilledError extends EngineError {
  constructor(message: string, options?: ErrorOptions) {
    super('crashed', message, options);
  }
}

/** A requested page does not exist in the document. */
export class NoSuchPageError extends EngineError {
  readonly page: number;
  readonly documentPages: number;

  constructor(page: number, documentPages: number) {
    super('no-such-page', `page ${page} of ${documentPages}`);
    this.page = page;
    this.documentPages = documentPages;
  }
}
