import type { Dropped } from '@scriptorium/ooxml/package';
import type { RevisionMode } from '../revisions/names.ts';

/** A format that an engine reads. */
export type EngineSource = 'docx' | 'odt' | 'rtf' | 'doc' | 'html';

/** The options that change the document itself. All formats except DOCX ignore them. */
export interface SourceOptions {
  revisions: RevisionMode | 'markup';
  updateFields: 'none' | 'toc' | 'all';
}

/** Facts about a document. */
export interface SourceFacts {
  revisions: { insertions: number; deletions: number; moves: number; formatting: number };
  comments: number;
  /** Fields that keep the text they last showed. */
  frozenFields: number;
  /** Scripts of the text, except Latin. */
  scripts: readonly string[];
}

/** An uploaded file after sanitizing. */
export interface PreparedSource {
  bytes: Buffer;
  /** The import filter that the engine must use. */
  engineSource: EngineSource;
  dropped: readonly Dropped[];
  /** Undefined for formats without this survey. */
  facts?: SourceFacts;
}

/**
 * Sanitizes documents of one format before an engine reads them. The engine gets only understood content, rewritten,
 * and nothing that fetches, reads a file, runs or never ends.
 */
export interface SourceSanitizer {
  /**
   * Pure function of its arguments; ignores name and media type of the file. Rejects with SanitizerError or OoxmlError:
   * INVALID_FILE_FORMAT with the detected format or the damage, DOCUMENT_ENCRYPTED, or DOCUMENT_TOO_COMPLEX with the
   * bound.
   */
  prepare(bytes: Buffer, options: SourceOptions): Promise<PreparedSource>;
}
