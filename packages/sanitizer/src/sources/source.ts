import type { Dropped } from '@scriptorium/ooxml/package';
import type { RevisionMode } from '../revisions/names.ts';

/** What an engine reads: vetted and of exactly this format. */
export type EngineSource = 'docx' | 'odt' | 'rtf' | 'doc' | 'html';

/** The options that change the document itself; all but DOCX ignore them. */
export interface SourceOptions {
  revisions: RevisionMode | 'markup';
  updateFields: 'none' | 'toc' | 'all';
}

/** What was seen of a document. */
export interface SourceFacts {
  revisions: { insertions: number; deletions: number; moves: number; formatting: number };
  comments: number;
  /** Fields that keep the text they last showed. */
  frozenFields: number;
  /** Scripts of the text, Latin aside. */
  scripts: readonly string[];
}

/** What the sanitizer made of an uploaded file. */
export interface PreparedSource {
  bytes: Buffer;
  /** The import filter that the engine is to be held to. */
  engineSource: EngineSource;
  dropped: readonly Dropped[];
  /** Undefined for formats that are not searched for any. */
  facts?: SourceFacts;
}

/**
 * What a document of one format passes before an engine sees it: the engine gets what was understood, written anew, and
 * nothing that would fetch, read a file, run or never end.
 */
export interface SourceSanitizer {
  /**
   * A function of its arguments alone; name and media type of the file are not asked. Rejects with SanitizerError or
   * OoxmlError: INVALID_FILE_FORMAT with what the file seems to be or where it is damaged, DOCUMENT_ENCRYPTED, or
   * DOCUMENT_TOO_COMPLEX with the bound.
   */
  prepare(bytes: Buffer, options: SourceOptions): Promise<PreparedSource>;
}
