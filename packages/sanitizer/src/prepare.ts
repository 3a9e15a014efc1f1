import type { DropKind, Dropped } from '@scriptorium/ooxml/package';
import { REPORT_ITEMS_MAX } from '@scriptorium/shared/jobs/conversion-report';
import type { Conversion } from '@scriptorium/shared/jobs/convert';
import { prepareDocx } from './prepare-docx.ts';
import { SOURCE_GATES } from './sources/gates.ts';
import type { EngineSource } from './sources/source.ts';

/** What was taken out of a document; a hostile one can have a hundred thousand things to take out. */
export interface DroppedThings {
  count: number;
  /** Of them, those that leave a gap on a page. */
  seenCount: number;
  hasMacros: boolean;
  /** The first of them. */
  items: readonly Dropped[];
}

/** What was seen of a document on its way through the gate. */
export interface Facts {
  dropped: DroppedThings;
  revisions: { insertions: number; deletions: number; moves: number; formatting: number };
  comments: number;
  /** Fields that keep the text they last showed. */
  frozenFields: number;
  /** Scripts of the text, Latin aside. */
  scripts: readonly string[];
}

/** What a gate gives: the whole list of what was dropped. */
export interface Vetted extends Omit<Prepared, 'facts'> {
  facts: Omit<Facts, 'dropped'> & { dropped: readonly Dropped[] };
}

/** A document as an engine gets it: vetted, rewritten, and of exactly the format that is named. */
export interface Prepared {
  bytes: Buffer;
  engineSource: EngineSource;
  facts: Facts;
}

/** The options that change the document itself. */
export type PrepareOptions = Pick<Conversion, 'from' | 'revisions' | 'updateFields'>;

const NOTHING_KNOWN: Omit<Facts, 'dropped'> = {
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
    items: dropped.slice(0, REPORT_ITEMS_MAX),
  };
}

/**
 * Takes a document through the gate of its format. A function of its arguments alone; takes a core for milliseconds to
 * a second. Rejects with SanitizerError: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_COMPLEX.
 */
export async function prepare(bytes: Buffer, options: PrepareOptions): Promise<Prepared> {
  const { facts, ...vetted } = await vet(bytes, options);
  return { ...vetted, facts: { ...facts, dropped: summarise(facts.dropped) } };
}

async function vet(bytes: Buffer, options: PrepareOptions): Promise<Vetted> {
  if (options.from === 'docx') return await prepareDocx(bytes, options);
  const { dropped, ...prepared } = await SOURCE_GATES[options.from].prepare(bytes);
  return { ...prepared, facts: { ...NOTHING_KNOWN, dropped } };
}
