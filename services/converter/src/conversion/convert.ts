import { AppError } from '@scriptorium/contracts/errors';
import type { ConversionReport } from '@scriptorium/contracts/jobs/conversion-report';
import { type Conversion, TARGET_CONTENT_TYPES } from '@scriptorium/contracts/jobs/convert';
import type { Prepared } from '@scriptorium/sanitizer/sanitize';
import {
  type ConversionRequest,
  type Engine,
  EngineError,
  type EngineResult,
  type MissingFont,
} from '../engines/engine.ts';
import type { Finishing, FinishRequest, VettedFile } from '../threads/finish-thread.ts';
import type { Draw, Finish, Prepare } from '../threads/threads.ts';
import { type AttemptContext, type Attempted, tryPieces, tryTwice } from './attempts.ts';
import { toAppError, toUnavailable } from './engine-errors.ts';
import { type FontCatalog, isAsWide, replacedFonts } from './fonts.ts';
import { reportOf } from './report.ts';
import { kindOf, type RemovalKind, vetPdf } from './vet-result.ts';

const PAGES_MAX = 5_000;
/** The resolution of the images that the engine makes. */
const SCREEN_DPI = 96;
const FONTS_NAMED_MAX = 50;
/** A larger PDF is vetted in a thread: it may have many links. Other formats always are: they must be unpacked or parsed. */
const VETTED_HERE_BYTES_MAX = 262_144;

export interface ConvertContext extends AttemptContext {
  /** The title of a PDF/UA if the document has none. */
  title?: string | undefined;
  /** What a PDF gets after its conversion. */
  finishing?: Finishing | undefined;
  /** The password of the document. */
  password?: string | undefined;
}

export interface ConvertParts {
  /** In order of preference. */
  engines: readonly Engine[];
  prepare: Prepare;
  fonts: FontCatalog;
  finish: Finish;
  draw: Draw;
  /** Called for each thing that was removed from a result although the sanitizer has seen its document. */
  onRemoved(what: RemovalKind): void;
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
 * FONT_UNAVAILABLE, or VALIDATION_ERROR for pages that it does not have. Two equal crashes give UNPROCESSABLE, and two different
 * ones CONVERSION_FAILED. DEADLINE_EXCEEDED is also for an aborted signal, when the caller disconnected. UNAVAILABLE means that
 * no engine could try, or that all were killed from outside.
 */
export async function convert(
  parts: ConvertParts,
  bytes: Uint8Array,
  options: Conversion,
  context: ConvertContext,
): Promise<Converted> {
  const further = { mayBeInPieces: isLaidOutOnce(options), marksLinks: options.to === 'pdf' };
  const source = await prepareSource(parts, bytes, { ...options, ...further }, context);
  const plainly = async () =>
    convertSource(parts, await prepareSource(parts, bytes, options, context), options, context);
  if (!source.isInPieces)
    return await convertSource(parts, source, options, context).catch((error: unknown) => {
      if (error instanceof LinksLost) return plainly();
      throw error;
    });
  const request = engineRequest(source, options);
  const made = await tryPieces(parts.engines, source.bytes, request, context);
  if (made !== undefined) return await finished(parts, { ...made, source }, options, context);
  return await plainly();
}

/** The places of links were not found in a PDF. */
class LinksLost extends Error {}

/** Whether nothing moves once the document is laid out: then long tables can be split where pages end. */
const isLaidOutOnce = ({ to, updateFields, comments }: Conversion): boolean =>
  (to === 'pdf' || to === 'png') && updateFields === 'none' && comments !== 'margin';

/** A sanitized document, and the times of its conversion so far. */
export interface ConvertSource extends Prepared {
  startedAt: number;
  gateMs: number;
}

/** Sanitizes a document, the first step of `convert`. Throws as it does. */
export async function prepareSource(
  { prepare }: Pick<ConvertParts, 'prepare'>,
  bytes: Uint8Array,
  options: Conversion & { mayBeInPieces?: boolean; marksLinks?: boolean },
  context: ConvertContext,
): Promise<ConvertSource> {
  const startedAt = performance.now();
  const request = { bytes, options: { ...options, password: context.password } };
  const prepared = await prepare(request, context.signal).catch((error) => {
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
  const request = engineRequest(source, options);
  const made = await tryTwice(parts.engines, source.bytes, request, context);
  return await finished(parts, { ...made, source }, options, context);
}

async function finished(
  parts: ConvertParts,
  made: EngineOutcome,
  options: Conversion,
  context: ConvertContext,
): Promise<Converted> {
  try {
    if (isDrawn(options)) made.result = await drawn(parts.draw, made.result, options, context);
    return await acceptResult(parts, made, options, context);
  } catch (error) {
    throw error instanceof EngineError ? toAppError(error, context) : error;
  }
}

async function drawn(
  draw: Draw,
  result: EngineResult,
  { dpi = SCREEN_DPI }: Conversion,
  { signal }: ConvertContext,
): Promise<EngineResult> {
  const bytes = await draw({ pdf: result.bytes, dpi }, signal);
  return { ...result, bytes, pages: result.documentPages };
}

/** What an engine made of a document. */
export interface EngineOutcome extends Attempted {
  source: Pick<ConvertSource, 'facts' | 'startedAt' | 'gateMs'>;
}

/**
 * Checks the result of an engine, finishes it, and reports on it. Throws DOCUMENT_TOO_COMPLEX, FONT_UNAVAILABLE or
 * VALIDATION_ERROR for what the PDF cannot get.
 */
export async function acceptResult(
  parts: Pick<ConvertParts, 'fonts' | 'finish' | 'onRemoved'>,
  { source, engine, result, attempts }: EngineOutcome,
  options: Conversion,
  context: FinishContext,
): Promise<Converted> {
  const { fonts } = parts;
  if (result.documentPages > PAGES_MAX) {
    throw new AppError(
      'DOCUMENT_TOO_COMPLEX',
      `The document has ${result.documentPages} pages; the limit is ${PAGES_MAX}.`,
    );
  }
  const replaced = result.missingFonts && (await replacedFonts(result.missingFonts, fonts));
  if (options.strictFonts !== 'false') checkFonts(options.strictFonts, replaced);
  const { facts, gateMs, startedAt } = source;
  const { fieldPlaces, formFields, textLinks: links } = facts;
  const textLinks = links && { links, areAll: options.pages === undefined };
  const { bytes, missing, removed, fieldNames } = await vettedAndFinished(parts, result, options, {
    ...context,
    fieldPlaces,
    formFields,
    textLinks,
  });
  const totalMs = performance.now() - startedAt;
  const report = await reportOf(
    {
      ...{ options, facts, result, replaced, engine, attempts, gateMs, totalMs },
      ...{ missing, removed, fieldNames },
    },
    fonts,
  );
  return { bytes, contentType: TARGET_CONTENT_TYPES[options.to], report };
}

type FinishContext = Pick<ConvertContext, 'signal' | 'title' | 'finishing'>;
type Vetted = Pick<VettedFile, 'bytes' | 'removed' | 'fieldNames'> & {
  missing: VettedFile['missing'] | undefined;
};

/** `missing` is what a PDF lacks of what it claims; undefined if it claims nothing. */
async function vettedAndFinished(
  { finish, onRemoved }: Pick<ConvertParts, 'finish' | 'onRemoved'>,
  { bytes, folder }: EngineResult,
  { to, pdfa, pdfua }: Conversion,
  {
    signal,
    title,
    finishing,
    ...found
  }: FinishContext & Pick<FinishRequest, 'fieldPlaces' | 'formFields' | 'textLinks'>,
): Promise<Vetted> {
  const isClaiming = pdfua || pdfa !== undefined;
  const { fieldPlaces, formFields, textLinks } = found;
  const isPlain = !isClaiming && finishing === undefined && !fieldPlaces && !formFields && !textLinks;
  const made =
    isPlain && to === 'pdf' && bytes.length <= VETTED_HERE_BYTES_MAX
      ? { ...vetPdf(bytes, folder), missing: undefined }
      : await finish(
          {
            ...{ format: to, bytes, folder, claims: { pdfa, pdfua, title }, finishing },
            ...{ fieldPlaces, formFields, textLinks },
          },
          signal,
        );
  if ('areLinksLost' in made) throw new LinksLost('the places of links were not found');
  for (const removed of made.removed) onRemoved(kindOf(removed));
  return { ...made, missing: isClaiming ? made.missing : undefined };
}

/** The engine makes images of the first page, of one size. Others are drawn from a PDF of their page. */
const isDrawn = ({ to, pages, dpi }: Conversion): boolean =>
  to === 'png' && (pages !== undefined || dpi !== undefined);

/** The request for an engine that reads this document. */
export function engineRequest(
  { engineSource: from, facts: { hasBlankPages } }: Pick<Prepared, 'engineSource' | 'facts'>,
  options: Conversion,
): ConversionRequest {
  const {
    revisions: _done,
    paper: _doneToo,
    delimiter: _doneAsWell,
    strictFonts: _checkedAfter,
    dpi: _drawnAfter,
    ...request
  } = options;
  if (!isDrawn(options)) return { ...request, from, hasBlankPages };
  return { ...request, from, hasBlankPages, to: 'pdf', tagged: false, pages: options.pages ?? '1' };
}

function checkFonts(demand: Conversion['strictFonts'], replaced: readonly MissingFont[] | undefined): void {
  if (replaced === undefined)
    throw toUnavailable(new EngineError('unsupported', 'the engine does not report which fonts it replaced'));
  const refused = demand === 'exact' ? replaced : replaced.filter((font) => !isAsWide(font));
  if (refused.length === 0) return;
  const names = refused.slice(0, FONTS_NAMED_MAX).map(({ asked }) => asked);
  throw new AppError(
    'FONT_UNAVAILABLE',
    `The document uses fonts that are not installed: ${names.join(', ')}.`,
    {
      details: names.map((name) => ({ field: 'file', issue: `the font “${name}” is not installed` })),
    },
  );
}
