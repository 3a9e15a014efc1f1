import type { EngineSource } from '@scriptorium/sanitizer/sources';
import type { Conversion } from '@scriptorium/shared/jobs/convert';
import type { TargetFormat } from '@scriptorium/shared/jobs/target-formats';
import type { Sandbox } from './sandbox.ts';

/** What an engine is asked for: the options of a conversion that are not done when the engine gets the document. */
export interface ConversionRequest
  extends Partial<Omit<Conversion, 'from' | 'to' | 'revisions' | 'strictFonts'>> {
  from: EngineSource;
  /** `png` is the first page; `html` is one file with its images in it. */
  to: TargetFormat;
}

export interface EngineRun {
  /** For the whole call, the wait for a free engine included. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface EngineResult {
  bytes: Buffer;
  /** Of the result, where it is a PDF; otherwise of the document. */
  pages: number;
  /** Of the document as it was laid out. */
  documentPages: number;
  /** Font families that the document asks for and that others stood in for; undefined where the engine cannot tell. */
  missingFonts: string[] | undefined;
  timings: EngineTimings;
}

export interface EngineTimings {
  /** For a free engine. */
  waitMs: number;
  /** In the engine, the three stages included. */
  runMs: number;
  /** The stages; undefined where the engine cannot tell them apart. */
  loadMs?: number;
  updateMs?: number;
  exportMs?: number;
}

export interface EngineHealth {
  /** True where a conversion that is sent now would be started now or after those before it. */
  ready: boolean;
  /** Conversions that this engine runs at the same time. */
  slots: number;
  running: number;
  waiting: number;
  /** Product and version, once known. */
  version?: string;
  /** What is around the processes that read documents, once known. */
  sandbox?: Sandbox;
}

/** A way to convert documents. Owned by `convert.ts`; both implementations pass `test/engine.suite.ts`. */
export interface Engine {
  readonly name: string;
  /** Resolves when the engine takes work. Rejects with `unavailable` where it cannot. */
  start(): Promise<void>;
  /** Rejects with an `EngineError` only, and always within `run.timeoutMs` and a second. */
  convert(input: Uint8Array, request: ConversionRequest, run: EngineRun): Promise<EngineResult>;
  health(): EngineHealth;
  /** Ends running conversions, every process and every directory of this engine. */
  close(): Promise<void>;
}

/** What an operator wants to know of an engine. */
export type EngineEvent =
  | { type: 'engine-unavailable'; engine: string; reason: string }
  | { type: 'engine-started'; engine: string; version: string; sandbox: Sandbox; startMs: number }
  | { type: 'engine-ended'; engine: string; how: EngineEnd; reason: string; restartInMs: number };

/** `given-up`: it was there, and did not do what it should. */
export type EngineEnd = 'not-started' | 'killed' | 'exited' | 'given-up';

export type EngineListener = (event: EngineEvent) => void;

/**
 * `unreadable`: the document does not load. `crashed`: the engine died on it, or left no sound result. `exhausted`: it
 * passed the bound on CPU time or output size. `timeout`: the run outlasted its time. `aborted`: the caller gave up.
 * `unavailable`: the document was not tried, the engine is away or did not come free in time. `unsupported`: this engine
 * has no such option. `no-such-page`: the document ends before a page that was asked for (`NoSuchPageError`).
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

/** How an engine fails. The message is for the log, not for a caller. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;

  constructor(kind: EngineErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.kind = kind;
  }
}

/** A page was asked for that the document does not have. */
export class NoSuchPageError extends EngineError {
  readonly page: number;
  readonly documentPages: number;

  constructor(page: number, documentPages: number) {
    super('no-such-page', `page ${page} of ${documentPages}`);
    this.page = page;
    this.documentPages = documentPages;
  }
}
