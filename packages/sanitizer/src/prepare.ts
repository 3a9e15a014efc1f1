import type { DropKind, Dropped } from '@scriptorium/ooxml/package';
import { SOURCE_FORMATS, SOURCE_SANITIZERS, type SourceFormat } from './sources/sanitizers.ts';
import type { EngineSource, SourceFacts, SourceOptions } from './sources/source.ts';

/** Content removed from a document. A hostile document can have a hundred thousand items. */
interface DroppedSummary {
  count: number;
  /** Number of items that leave a gap on a page. */
  seenCount: number;
  hasMacros: boolean;
  /** The first items only. */
  items: readonly Dropped[];
}

/** Facts about a document, found by the sanitizer. */
export interface Facts extends SourceFacts {
  dropped: DroppedSummary;
}

/** A sanitized and rewritten document for an engine, in exactly the named format; see also `PreparedSource`. */
export interface Prepared {
  bytes: Buffer;
  engineSource: EngineSource;
  isInPieces?: boolean | undefined;
  facts: Facts;
}

/** The declared format of the bytes, and the options that change the document itself. */
export interface PrepareOptions extends SourceOptions {
  from: SourceFormat;
}

/** Maximum number of removed items that are listed. */
const ITEMS_MAX = 100;

const NO_FACTS: SourceFacts = {
  revisions: { insertions: 0, deletions: 0, moves: 0, formatting: 0 },
  comments: 0,
  frozenFields: {},
  scripts: [],
  hasBlankPages: false,
};

/** Kinds that leave no gap on a page. The picture of an object stays. */
const UNSEEN = new Set<DropKind>([
  'remote template',
  'macro',
  'unsafe link',
  'OLE object',
  'ActiveX control',
]);

function summarize(dropped: readonly Dropped[]): DroppedSummary {
  return {
    count: dropped.length,
    seenCount: dropped.filter(({ what, leavesGap }) => leavesGap ?? !UNSEEN.has(what)).length,
    hasMacros: dropped.some(({ what }) => what === 'macro'),
    items: dropped.slice(0, ITEMS_MAX),
  };
}

/**
 * Sanitizes a document of the given format. Pure function of its arguments; uses a core for milliseconds to a second.
 * Rejects with SanitizerError or OoxmlError: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_COMPLEX.
 *
 * @example
 * const options = { from: 'html', revisions: 'final', updateFields: 'none' };
 * const { bytes } = await prepare(Buffer.from('<p>Hi<script>steal()</script></p>'), options);
 * [bytes.includes('Hi'), bytes.includes('steal')] // [true, false]
 */
export async function prepare(bytes: Buffer, options: PrepareOptions): Promise<Prepared> {
  const sanitizer = await SOURCE_SANITIZERS[options.from]();
  const source = await sanitizer.prepare(bytes, options);
  const { bytes: vetted, engineSource, isInPieces, dropped, facts } = source;
  return {
    bytes: vetted,
    engineSource,
    isInPieces,
    facts: { ...NO_FACTS, ...facts, dropped: summarize(dropped) },
  };
}

/** Loads the code for all formats, so that the first document of a format does not wait for it. */
export async function loadSanitizers(): Promise<void> {
  await Promise.all(SOURCE_FORMATS.map((format) => SOURCE_SANITIZERS[format]()));
}
