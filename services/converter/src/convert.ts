import type { Prepared } from '@scriptorium/sanitizer/sanitize';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { AppError } from '@scriptorium/shared/errors';
import type { ConversionReport } from '@scriptorium/shared/jobs/conversion-report';
import { type Conversion, TARGET_CONTENT_TYPES } from '@scriptorium/shared/jobs/convert';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineErrorKind,
  type EngineResult,
  KilledError,
  NoSuchPageError,
} from './engine.ts';
import { type FontCatalog, type ReplacedFont, replacedFonts } from './fonts.ts';
import { reportOf } from './report.ts';
import type { Prepare } from './sanitizer-threads.ts';

/** Longest time in an engine, by the clock, for a document that hangs without using the processor. */
const RUN_TIMEOUT_MS = 180_000;
const PAGES_MAX = 5_000;
const FONTS_NAMED_MAX = 50;

export interface ConvertContext {
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

export interface ConvertParts {
  /** In order of preference. */
  engines: readonly Engine[];
  prepare: Prepare;
  fonts: FontCatalog;
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
 * Converts one document: sanitizes it, passes the result to an engine, and reports what was done.
 *
 * If a document kills its engine, it is tried once more on a fresh one. Its cost is judged by processor time, since the clock
 * depends on the load of the machine. Throws an `AppError`: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED, DOCUMENT_TOO_COMPLEX,
 * VALIDATION_ERROR for pages that it does not have, FONT_UNAVAILABLE, CONVERSION_FAILED, DEADLINE_EXCEEDED (also for an
 * aborted signal, when the caller disconnected) or UNAVAILABLE if no engine could try, or if all were killed from outside.
 */
export async function convert(
  parts: ConvertParts,
  bytes: Uint8Array,
  options: Conversion,
  context: ConvertContext,
): Promise<Converted> {
  const source = await prepareSource(parts, bytes, options, context);
  return await convertSource(parts, source, options, context);
}

/** A sanitized document, and the times of its conversion so far. */
export interface ConvertSource extends Prepared {
  startedAt: number;
  gateMs: number;
}

/** Sanitizes a document, the first step of `convert`. Throws as it does. */
export async function prepareSource(
  { prepare }: Pick<ConvertParts, 'prepare'>,
  bytes: Uint8Array,
  options: Conversion,
  context: ConvertContext,
): Promise<ConvertSource> {
  const startedAt = performance.now();
  const prepared = await prepare(bytes, options, context.signal).catch((error) => {
    throw error instanceof EngineError ? toAppError(error, context) : error;
  });
  return { ...prepared, startedAt, gateMs: performance.now() - startedAt };
}

/** Converts a sanitized document by the engines, the second step of `convert`. Throws as it does. */
export async function convertSource(
  parts: ConvertParts,
  source: ConvertSource,
  options: Conversion,
  context: ConvertContext,
): Promise<Converted> {
  const request = engineRequest(source.engineSource, options);
  const made = await tryTwice(parts.engines, source.bytes, request, context);
  return await acceptResult(parts, { ...made, source }, options);
}

/** What an engine made of a document. */
export interface Made {
  source: Pick<ConvertSource, 'facts' | 'startedAt' | 'gateMs'>;
  engine: string;
  result: EngineResult;
  attempts: number;
}

/** Checks the result of an engine, and reports on it. Throws DOCUMENT_TOO_COMPLEX or FONT_UNAVAILABLE. */
export async function acceptResult(
  { fonts }: Pick<ConvertParts, 'fonts'>,
  { source, engine, result, attempts }: Made,
  options: Conversion,
): Promise<Converted> {
  if (result.documentPages > PAGES_MAX) {
    throw new AppError(
      'DOCUMENT_TOO_COMPLEX',
      `The document has ${result.documentPages} pages; the limit is ${PAGES_MAX}.`,
    );
  }
  const replaced = result.missingFonts && (await replacedFonts(result.missingFonts, fonts));
  if (options.strictFonts) checkFonts(replaced);
  const { facts, gateMs, startedAt } = source;
  const totalMs = performance.now() - startedAt;
  const report = await reportOf(
    { options, facts, result, replaced, engine, attempts, gateMs, totalMs },
    fonts,
  );
  return { bytes: result.bytes, contentType: TARGET_CONTENT_TYPES[options.to], report };
}

/** The request for an engine that reads this format. */
export function engineRequest(from: EngineSource, options: Conversion): ConversionRequest {
  const { revisions: _done, strictFonts: _checkedAfter, ...request } = options;
  return { ...request, from };
}

function checkFonts(replaced: readonly ReplacedFont[] | undefined): void {
  if (replaced === undefined)
    throw toUnavailable(new EngineError('unsupported', 'the engine does not report which fonts it replaced'));
  if (replaced.length === 0) return;
  const names = replaced.slice(0, FONTS_NAMED_MAX).map(({ asked }) => asked);
  throw new AppError(
    'FONT_UNAVAILABLE',
    `The document uses fonts that are not installed: ${names.join(', ')}.`,
    {
      details: names.map((name) => ({ field: 'file', issue: `the font “${name}” is not installed` })),
    },
  );
}

async function tryTwice(
  engines: readonly Engine[],
  bytes: Uint8Array,
  request: ConversionRequest,
  context: ConvertContext,
): Promise<{ engine: string; result: EngineResult; attempts: number }> {
  const { signal, deadlineAt, slow, isLow, onStart, spend } = context;
  let attempts = 0;
  let failure: EngineError | undefined;
  for (const engine of candidates(engines)) {
    const remainingMs = deadlineAt - Date.now();
    if (remainingMs <= 0 || signal.aborted) break;
    try {
      const timeoutMs = Math.min(RUN_TIMEOUT_MS, remainingMs);
      const result = await engine.convert(bytes, request, {
        ...{ timeoutMs, signal, slow, isLow },
        ...(onStart && { onStart }),
      });
      spend?.(costOf(result));
      return { engine: engine.name, result, attempts: attempts + 1 };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      failure = error;
      spend?.(error.cpuMs ?? 0);
      // An engine that is unavailable, or lacks the option, has not tried the document: this does not count as an
      // attempt.
      if (error.kind !== 'unavailable' && error.kind !== 'unsupported') attempts++;
      if (!MAY_SUCCEED_LATER.has(error.kind) || attempts === 2) break;
    }
  }
  throw toAppError(failure ?? new EngineError('unavailable', 'no engine exists'), context);
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

/** The public error for a failure of an engine. */
export function toAppError(error: EngineError, { signal, deadlineAt }: ConvertContext): AppError {
  const cause = { cause: error };
  if (signal.aborted) return new AppError('DEADLINE_EXCEEDED', 'The conversion was canceled.', cause);
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
        'The document exceeds the limit on output size or on processor time.',
        cause,
      );
    case 'timeout':
      return new AppError('DEADLINE_EXCEEDED', 'The conversion did not finish in time.', cause);
    case 'unavailable':
    case 'unsupported':
      return toUnavailable(error);
    default:
      if (error instanceof KilledError) return killed(error);
      return new AppError('CONVERSION_FAILED', 'The engine failed on the document twice.', cause);
  }
}

function killed(cause: KilledError): AppError {
  const message = 'The engine was killed while it had the document, twice.';
  return new AppError('UNAVAILABLE', message, { cause, retryAfterSeconds: 5 });
}

function toUnavailable(cause: EngineError): AppError {
  return new AppError('UNAVAILABLE', 'No available conversion engine supports this request.', {
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
