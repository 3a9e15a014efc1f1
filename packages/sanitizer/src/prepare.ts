import type { DropKind, Dropped } from '@scriptorium/ooxml/package';
import { SOURCE_FORMATS, SOURCE_SANITIZERS, type SourceFormat } from './sources/sanitizers.ts';
import type { EngineSource, SourceFacts, SourceOptions } from './sources/source.ts';

/** What was taken out of a document; a hostile one can have a hundred thousand things to take out. */
export interface DroppedThings {
  count: number;
  /** Of them, those that leave a gap on a page. */
  seenCount: number;
  hasMacros: boolean;
  /** The first of them. */
  items: readonly Dropped[];
}

/** What was seen of a document on its way through the sanitizer. */
export interface Facts extends SourceFacts {
  dropped: DroppedThings;
}

/** A document as an engine gets it: vetted, rewritten, and of exactly the format that is named. */
export interface Prepared {
  bytes: Buffer;
  engineSource: EngineSource;
  facts: Facts;
}

/** What the bytes are sent as, and the options that change the document itself. */
export interface PrepareOptions extends SourceOptions {
  from: SourceFormat;
}

/** Of what was dropped, how much is named. */
const ITEMS_MAX = 100;

const NOTHING_KNOWN: SourceFacts = {
  revisions: { insertions: 0, deletions: 0, moves: 0, formatting: 0 },
  comments: 0,
  frozenFields: 0,
  scripts: [],
};

/** Kinds that leave no gap on a page; of an object, its picture stays. */
const UNSEEN = new Set<DropKind>([
  'remote template',
  'macro',
  'script link',
  'OLE object',
  'ActiveX control',
]);

function summarise(dropped: readonly Dropped[]): DroppedThings {
  return {
    count: dropped.length,
    seenCount: dropped.filter(({ what }) => !UNSEEN.has(what)).length,
    hasMacros: dropped.some(({ what }) => what === 'macro'),
    items: dropped.slice(0, ITEMS_MAX),
  };
}

/**
 * Takes a document through the sanitizer of its format. A function of its arguments alone; takes a core for milliseconds to
 * a second. Rejects with SanitizerError or OoxmlError: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED or
 * DOCUMENT_TOO_COMPLEX.
 */
export async function prepare(bytes: Buffer, options: PrepareOptions): Promise<Prepared> {
  const sanitizer = await SOURCE_SANITIZERS[options.from]();
  const source = await sanitizer.prepare(bytes, options);
  const { bytes: vetted, engineSource, dropped, facts = NOTHING_KNOWN } = source;
  return { bytes: vetted, engineSource, facts: { ...facts, dropped: summarise(dropped) } };
}

/** Loads the code for all formats, so that the first document of one does not wait for it. */
export async function loadSanitizers(): Promise<void> {
  await Promise.all(SOURCE_FORMATS.map((format) => SOURCE_SANITIZERS[format]()));
}
