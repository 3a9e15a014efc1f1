import type { Dropped } from '@scriptorium/ooxml/package';

/** A format whose documents are taken beside DOCX. */
export type SourceFormat = 'odt' | 'rtf' | 'doc' | 'html' | 'md' | 'txt';

/** What an engine reads: vetted and of exactly this format. */
export type EngineSource = 'docx' | 'odt' | 'rtf' | 'doc' | 'html';

/** What the sanitizer made of an uploaded file. */
export interface PreparedSource {
  bytes: Buffer;
  /** The import filter that the engine is to be held to. */
  engineSource: EngineSource;
  dropped: readonly Dropped[];
}

/**
 * What a document of one format passes before an engine sees it: the engine gets what was understood, written anew, and
 * nothing that would fetch, read a file, run or never end.
 */
export interface SourceSanitizer {
  readonly format: SourceFormat;
  /**
   * A function of the bytes alone; their name and media type are not asked. Rejects with SanitizerError: INVALID_FILE_FORMAT
   * with what the file seems to be or where it is damaged, DOCUMENT_ENCRYPTED, or DOCUMENT_TOO_COMPLEX with the bound.
   */
  prepare(bytes: Buffer): Promise<PreparedSource>;
}
