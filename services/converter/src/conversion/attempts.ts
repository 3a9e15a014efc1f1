import { AppError } from '@scriptorium/contracts/errors';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineErrorKind,
  type EngineResult,
  KilledError,
} from '../engines/engine.ts';
import { toAppError } from './engine-errors.ts';

/** Longest time in an engine, by the clock, for a document that hangs without using the processor. */
const RUN_TIMEOUT_MS = 180_000;

export interface AttemptContext {
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadlineAt: number;
  /** See `EngineRun`. */
  slow?: AbortSignal | undefined;
  isLow?: boolean | undefined;
  onStart?(): void;
  /** Counts processor time that the document took of an engine, ms. */
  spend?(ms: number): void;
}

/** The result of an engine for a document. */
export interface Attempted {
  engine: string;
  result: EngineResult;
  attempts: number;
}

/** Converts a document whose long tables are in pieces. Returns undefined if it must be converted whole. */
export async function tryPieces(
  [engine]: readonly Engine[],
  bytes: Uint8Array,
  request: ConversionRequest,
  context: AttemptContext,
): Promise<Attempted | undefined> {
  if (engine === undefined) return undefined;
  try {
    const result = await engine.convert(bytes, { ...request, isInPieces: true }, runOf(context));
    context.spend?.(costOf(result));
    return { engine: engine.name, result, attempts: 1 };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    context.spend?.(error.cpuMs ?? 0);
    if (PERHAPS_WHOLE.has(error.kind) && !context.signal.aborted) return undefined;
    throw toAppError(error, context);
  }
}

/** Failures that the same document with whole tables may not have. */
const PERHAPS_WHOLE = new Set<EngineErrorKind>(['unsupported', 'crashed', 'unreadable', 'unavailable']);

const runOf = ({ signal, deadlineAt, slow, isLow, onStart }: AttemptContext) => ({
  timeoutMs: Math.max(1, Math.min(RUN_TIMEOUT_MS, deadlineAt - Date.now())),
  ...{ signal, slow, isLow },
  ...(onStart && { onStart }),
});

/** Tries the preferred engine twice, and then the others. Throws an `AppError` if none converts the document. */
export async function tryTwice(
  engines: readonly Engine[],
  bytes: Uint8Array,
  request: ConversionRequest,
  context: AttemptContext,
): Promise<Attempted> {
  const { signal, deadlineAt, spend } = context;
  let attempts = 0;
  let failure: EngineError | undefined;
  let isRepeated = false;
  for (const engine of candidates(engines)) {
    if (deadlineAt <= Date.now() || signal.aborted) break;
    try {
      const result = await engine.convert(bytes, request, runOf(context));
      spend?.(costOf(result));
      return { engine: engine.name, result, attempts: attempts + 1 };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      isRepeated = failure !== undefined && isSameCrash(failure, error);
      failure = error;
      spend?.(error.cpuMs ?? 0);
      // An engine that is unavailable, or lacks the option, has not tried the document: this does not count as an
      // attempt.
      if (error.kind !== 'unavailable' && error.kind !== 'unsupported') attempts++;
      if (!MAY_SUCCEED_LATER.has(error.kind) || attempts === 2) break;
    }
  }
  if (failure !== undefined && isRepeated && !signal.aborted) throw crashes(failure);
  throw toAppError(failure ?? new EngineError('unavailable', 'no engine exists'), context);
}

/** Whether a document ends its engine in one way, which it will do again. */
function isSameCrash(first: EngineError, second: EngineError): boolean {
  const isOwn = (error: EngineError) => error.kind === 'crashed' && !(error instanceof KilledError);
  return isOwn(first) && isOwn(second) && first.message === second.message;
}

function crashes(cause: EngineError): AppError {
  const message = 'The engine crashes on the document: it was tried twice, and ended in the same way.';
  return new AppError('UNPROCESSABLE', message, { cause });
}

/** The preferred engine twice, because it is fresh each time; then the others, in case it is unavailable. */
function candidates(engines: readonly Engine[]): Engine[] {
  const [preferred, ...others] = engines;
  return preferred === undefined ? [] : [preferred, preferred, ...others];
}

const MAY_SUCCEED_LATER = new Set<EngineErrorKind>(['crashed', 'unavailable', 'unsupported']);

/** Processor time of a result, ms. */
export function costOf({ timings: { cpuMs, runMs } }: EngineResult): number {
  return cpuMs ?? runMs;
}
