/** What a conversion turns into what. Both unions grow with the engines. */
export interface ConversionRequest {
  from: 'docx';
  to: 'pdf';
}

export interface EngineRun {
  /** For the whole call, the wait for a free engine included. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface EngineResult {
  bytes: Buffer;
  pages: number;
  timings: { waitMs: number; runMs: number };
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
  | { type: 'engine-started'; engine: string; version: string; startMs: number }
  | { type: 'engine-ended'; engine: string; reason: string; restartInMs: number };

export type EngineListener = (event: EngineEvent) => void;

/**
 * `unreadable`: the document does not load. `crashed`: the engine died on it, or left no PDF. `exhausted`: it passed
 * the bound on CPU time or output size. `timeout`: the run outlasted its time. `aborted`: the caller gave up.
 * `unavailable`: the document was not tried, the engine is away or did not come free in time.
 */
export type EngineErrorKind = 'unreadable' | 'crashed' | 'exhausted' | 'timeout' | 'aborted' | 'unavailable';

/** How an engine fails. The message is for the log, not for a caller. */
export class EngineError extends Error {
  readonly kind: EngineErrorKind;

  constructor(kind: EngineErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.kind = kind;
  }
}
