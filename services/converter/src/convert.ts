import { AppError } from '@scriptorium/shared/errors';
import { identifyDocument } from '@scriptorium/shared/ooxml/identify';
import { type ConversionRequest, type Engine, EngineError, type EngineResult } from './engine.ts';

/**
 * Longest time that one engine may take for one document: wall clock, beside the engine's own bound on CPU time. Less than
 * the usual deadline, so that a document that hangs is told from a service that was busy.
 */
const RUN_TIMEOUT_MS = 50_000;
const PAGES_MAX = 5_000;

const CONTENT_TYPES = { pdf: 'application/pdf' } as const satisfies Record<ConversionRequest['to'], string>;

export interface ConvertContext {
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadlineAt: number;
}

export interface Conversion {
  bytes: Buffer;
  pages: number;
  contentType: string;
  engine: string;
  /** Engine runs that it took: 1, or 2 where the first failed. */
  attempts: number;
  /** `waitMs` for a free engine and `runMs` in it, of the run that succeeded; `totalMs` for all. */
  timings: { waitMs: number; runMs: number; totalMs: number };
}

export type Convert = (
  bytes: Uint8Array,
  request: ConversionRequest,
  context: ConvertContext,
) => Promise<Conversion>;

/** Binds `convert` to the engines of this process. */
export function convertWith(engines: readonly Engine[]): Convert {
  return (bytes, request, context) => convert(engines, bytes, request, context);
}

/**
 * Converts one document with the given engines, the preferred one first.
 *
 * A document that kills or outlasts its engine is tried once more, on a fresh one. Throws an `AppError`:
 * INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED, DOCUMENT_TOO_COMPLEX, CONVERSION_FAILED, DEADLINE_EXCEEDED (also for an
 * aborted signal, whose caller is gone) or UNAVAILABLE where no engine could try.
 */
export async function convert(
  engines: readonly Engine[],
  bytes: Uint8Array,
  request: ConversionRequest,
  context: ConvertContext,
): Promise<Conversion> {
  const startedAt = performance.now();
  if ((await identifyDocument(bytes)) !== request.from) {
    throw new AppError('INVALID_FILE_FORMAT', 'The file is not of the named format.');
  }
  const { engine, result, attempts } = await tryTwice(engines, bytes, request, context);
  if (result.pages > PAGES_MAX) {
    throw new AppError(
      'DOCUMENT_TOO_COMPLEX',
      `The document has ${result.pages} pages; ${PAGES_MAX} are the limit.`,
    );
  }
  return {
    bytes: result.bytes,
    pages: result.pages,
    contentType: CONTENT_TYPES[request.to],
    engine,
    attempts,
    timings: { ...result.timings, totalMs: performance.now() - startedAt },
  };
}

async function tryTwice(
  engines: readonly Engine[],
  bytes: Uint8Array,
  request: ConversionRequest,
  { signal, deadlineAt }: ConvertContext,
): Promise<{ engine: string; result: EngineResult; attempts: number }> {
  let attempts = 0;
  let failure = new EngineError('unavailable', 'there is no engine');
  for (const engine of candidates(engines)) {
    const remainingMs = deadlineAt - Date.now();
    if (remainingMs <= 0 || signal.aborted) break;
    try {
      const timeoutMs = Math.min(RUN_TIMEOUT_MS, remainingMs);
      const result = await engine.convert(bytes, request, { timeoutMs, signal });
      return { engine: engine.name, result, attempts: attempts + 1 };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      failure = error;
      // An engine that is away has not tried the document, so this was no attempt.
      if (error.kind !== 'unavailable') attempts++;
      if (!isWorthAnotherTry(error, deadlineAt) || attempts === 2) break;
    }
  }
  throw toAppError(failure, signal, deadlineAt);
}

/** The preferred engine twice, for it is a fresh one each time; then the others, should it be away. */
function candidates(engines: readonly Engine[]): Engine[] {
  const [preferred, ...others] = engines;
  return preferred === undefined ? [] : [preferred, preferred, ...others];
}

function isWorthAnotherTry({ kind }: EngineError, deadlineAt: number): boolean {
  if (kind === 'timeout') return deadlineAt - Date.now() >= RUN_TIMEOUT_MS;
  return kind === 'crashed' || kind === 'unavailable';
}

function toAppError(error: EngineError, signal: AbortSignal, deadlineAt: number): AppError {
  const cause = { cause: error };
  if (signal.aborted) return new AppError('DEADLINE_EXCEEDED', 'The conversion was cancelled.', cause);
  if (Date.now() >= deadlineAt) {
    return new AppError('DEADLINE_EXCEEDED', 'The conversion did not finish before the deadline.', cause);
  }
  switch (error.kind) {
    case 'unreadable':
      return new AppError('INVALID_FILE_FORMAT', 'The document cannot be read; it may be damaged.', cause);
    case 'exhausted':
      return new AppError(
        'DOCUMENT_TOO_COMPLEX',
        'The document passes the bound on output or CPU time.',
        cause,
      );
    case 'timeout':
      return new AppError(
        'DOCUMENT_TOO_COMPLEX',
        `The document takes longer than the limit of ${RUN_TIMEOUT_MS / 1000} seconds.`,
        cause,
      );
    case 'unavailable':
      return new AppError('UNAVAILABLE', 'No conversion engine is available.', {
        ...cause,
        retryAfterSeconds: 5,
      });
    default:
      return new AppError('CONVERSION_FAILED', 'The engine failed on the document twice.', cause);
  }
}
