import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { AppError } from '@scriptorium/shared/errors';
import type { ConversionReport } from '@scriptorium/shared/jobs/conversion-report';
import { type Conversion, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineResult,
  NoSuchPageError,
} from './engine.ts';
import { type FontCatalogue, type ReplacedFont, replacedFonts } from './fonts.ts';
import { reportOf } from './report.ts';
import type { Prepare } from './sanitizer-threads.ts';

/**
 * Longest time that one engine may take for one document: wall clock, beside the engine's own bound on CPU time. Less than
 * the usual deadline, so that a document that hangs is told from a service that was busy.
 */
const RUN_TIMEOUT_MS = 50_000;
const PAGES_MAX = 5_000;
const FONTS_NAMED_MAX = 50;

export interface ConvertContext {
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  deadlineAt: number;
}

export interface ConvertParts {
  /** The preferred one first. */
  engines: readonly Engine[];
  prepare: Prepare;
  fonts: FontCatalogue;
}

export interface Converted {
  bytes: Buffer;
  contentType: string;
  report: ConversionReport;
}

export type Convert = (bytes: Uint8Array, options: Conversion, context: ConvertContext) => Promise<Converted>;

/** Binds `convert` to the engines, the sanitizer and the fonts of this process. */
export function convertWith(parts: ConvertParts): Convert {
  return (bytes, options, context) => convert(parts, bytes, options, context);
}

/**
 * Converts one document: takes it through the sanitizer, gives what comes out of it to an engine, and tells what was done.
 *
 * A document that kills or outlasts its engine is tried once more, on a fresh one. Throws an `AppError`:
 * INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED, DOCUMENT_TOO_COMPLEX, VALIDATION_ERROR for pages that it does not have,
 * FONT_UNAVAILABLE, CONVERSION_FAILED, DEADLINE_EXCEEDED (also for an aborted signal, whose caller is gone) or
 * UNAVAILABLE where no engine could try.
 */
export async function convert(
  { engines, prepare, fonts }: ConvertParts,
  bytes: Uint8Array,
  options: Conversion,
  context: ConvertContext,
): Promise<Converted> {
  const startedAt = performance.now();
  const prepared = await prepare(bytes, options, context.signal).catch((error) => {
    throw error instanceof EngineError ? toAppError(error, context) : error;
  });
  const gateMs = performance.now() - startedAt;
  const request = engineRequest(prepared.engineSource, options);
  const { engine, result, attempts } = await tryTwice(engines, prepared.bytes, request, context);
  if (result.documentPages > PAGES_MAX) {
    throw new AppError(
      'DOCUMENT_TOO_COMPLEX',
      `The document has ${result.documentPages} pages; ${PAGES_MAX} are the limit.`,
    );
  }
  const replaced = result.missingFonts && (await replacedFonts(result.missingFonts, fonts));
  if (options.strictFonts) checkFonts(replaced);
  const totalMs = performance.now() - startedAt;
  const { facts } = prepared;
  const report = await reportOf(
    { options, facts, result, replaced, engine, attempts, gateMs, totalMs },
    fonts,
  );
  return { bytes: result.bytes, contentType: TARGET_CONTENT_TYPES[options.to], report };
}

function engineRequest(from: EngineSource, options: Conversion): ConversionRequest {
  const { revisions: _done, strictFonts: _checkedAfter, ...asked } = options;
  return { ...asked, from };
}

function checkFonts(replaced: readonly ReplacedFont[] | undefined): void {
  if (replaced === undefined)
    throw toUnavailable(new EngineError('unsupported', 'the engine does not tell which fonts it replaced'));
  if (replaced.length === 0) return;
  const names = replaced.slice(0, FONTS_NAMED_MAX).map(({ asked }) => asked);
  throw new AppError('FONT_UNAVAILABLE', `Fonts of the document are not installed: ${names.join(', ')}.`, {
    details: names.map((name) => ({ field: 'file', issue: `the font “${name}” is not installed` })),
  });
}

async function tryTwice(
  engines: readonly Engine[],
  bytes: Uint8Array,
  request: ConversionRequest,
  context: ConvertContext,
): Promise<{ engine: string; result: EngineResult; attempts: number }> {
  const { signal, deadlineAt } = context;
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
      // An engine that is away, or lacks the option, has not tried the document, so this was no attempt.
      if (error.kind !== 'unavailable' && error.kind !== 'unsupported') attempts++;
      if (!isWorthAnotherTry(error, deadlineAt) || attempts === 2) break;
    }
  }
  throw toAppError(failure, context);
}

/** The preferred engine twice, for it is a fresh one each time; then the others, should it be away. */
function candidates(engines: readonly Engine[]): Engine[] {
  const [preferred, ...others] = engines;
  return preferred === undefined ? [] : [preferred, preferred, ...others];
}

function isWorthAnotherTry({ kind }: EngineError, deadlineAt: number): boolean {
  if (kind === 'timeout') return deadlineAt - Date.now() >= RUN_TIMEOUT_MS;
  return kind === 'crashed' || kind === 'unavailable' || kind === 'unsupported';
}

function toAppError(error: EngineError, { signal, deadlineAt }: ConvertContext): AppError {
  const cause = { cause: error };
  if (signal.aborted) return new AppError('DEADLINE_EXCEEDED', 'The conversion was cancelled.', cause);
  if (Date.now() >= deadlineAt) {
    return new AppError('DEADLINE_EXCEEDED', 'The conversion did not finish before the deadline.', cause);
  }
  if (error instanceof NoSuchPageError) return noSuchPage(error);
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
    case 'unsupported':
      return toUnavailable(error);
    default:
      return new AppError('CONVERSION_FAILED', 'The engine failed on the document twice.', cause);
  }
}

function toUnavailable(cause: EngineError): AppError {
  return new AppError('UNAVAILABLE', 'No conversion engine that can do this is available.', {
    cause,
    retryAfterSeconds: 5,
  });
}

function noSuchPage({ page, documentPages }: NoSuchPageError): AppError {
  const has = documentPages === 1 ? '1 page' : `${documentPages} pages`;
  const issue = `asks for page ${page}; the document has ${has}`;
  return new AppError('VALIDATION_ERROR', `The option “pages” ${issue}.`, {
    details: [{ field: 'pages', issue }],
  });
}
