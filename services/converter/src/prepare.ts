import type { Conversion } from '@scriptorium/shared/jobs/convert';
import type { Dropped } from '@scriptorium/shared/ooxml/package';
import { prepareDocx } from './docx/prepare-docx.ts';
import type { EngineSource } from './engine.ts';
import { SOURCE_GATES } from './sources/gates.ts';

/** What was seen of a document on its way through the gate. */
export interface Facts {
  dropped: readonly Dropped[];
  revisions: { insertions: number; deletions: number; moves: number; formatting: number };
  comments: number;
  /** Fields that keep the text they last showed. */
  frozenFields: number;
  /** Scripts of the text, Latin aside. */
  scripts: readonly string[];
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

/**
 * Takes a document through the gate of its format. A function of its arguments alone; takes a core for milliseconds to
 * a second. Rejects with AppError: INVALID_FILE_FORMAT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_COMPLEX.
 */
export async function prepare(bytes: Buffer, options: PrepareOptions): Promise<Prepared> {
  if (options.from === 'docx') return await prepareDocx(bytes, options);
  const { dropped, ...prepared } = await SOURCE_GATES[options.from].prepare(bytes);
  return { ...prepared, facts: { ...NOTHING_KNOWN, dropped } };
}
