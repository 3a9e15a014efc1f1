import type { DropKind, Dropped } from '@scriptorium/ooxml/package';
import { type DocxFacts, type DocxOptions, prepareDocx } from './sources/docx.ts';
import { SOURCE_SANITIZERS } from './sources/sanitizers.ts';
import type { EngineSource, PreparedSource, SourceFormat } from './sources/source.ts';

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
export interface Facts extends DocxFacts {
  dropped: DroppedThings;
}

/** A document as an engine gets it: vetted, rewritten, and of exactly the format that is named. */
export interface Prepared {
  bytes: Buffer;
  engineSource: EngineSource;
  facts: Facts;
}

/** What the bytes are sent as, and the options that change the document itself. */
export interface PrepareOptions extends DocxOptions {
  from: 'docx' | SourceFormat;
}

/** Of what was dropped, how much is named. */
const ITEMS_MAX = 100;

const NOTHING_KNOWN: DocxFacts = {
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
  const { bytes: vetted, engineSource, dropped, facts = NOTHING_KNOWN } = await vet(bytes, options);
  return { bytes: vetted, engineSource, facts: { ...facts, dropped: summarise(dropped) } };
}

function vet(bytes: Buffer, options: PrepareOptions): Promise<PreparedSource & { facts?: DocxFacts }> {
  return options.from === 'docx'
    ? prepareDocx(bytes, options)
    : SOURCE_SANITIZERS[options.from].prepare(bytes);
}
