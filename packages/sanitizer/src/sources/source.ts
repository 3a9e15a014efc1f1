import type { PlacedField } from '@scriptorium/docx-normalize/places';
import type { RevisionMode } from '@scriptorium/docx-normalize/revisions';
import type { Dropped } from '@scriptorium/ooxml/package';
import type { FormFieldName } from '../docx/form-field-names.ts';
import type { TextLink } from '../slides/text-links.ts';
import type { Paper } from './paper.ts';

/** A delimiter that stands for the one which a text has. */
export const AUTO_DELIMITER = 'auto';

export type Metafiles = 'keep' | 'drop';

/** A format that an engine reads. */
export type EngineSource = 'docx' | 'odt' | 'rtf' | 'doc' | 'html' | 'xlsx' | 'ods' | 'pptx' | 'odp';

/** The options that change the document itself. All formats except DOCX ignore them. */
export interface SourceOptions {
  revisions: RevisionMode | 'markup';
  updateFields: 'none' | 'toc' | 'all';
  /** The format of the result. In one that is edited, lists go on counting. */
  to?: string;
  /** Paper of documents that name none. */
  paper?: Paper | undefined;
  /** Whether EMF and WMF pictures stay. By default they do. */
  metafiles?: Metafiles | undefined;
  /** What separates the fields of a CSV. `auto`, the default, detects it. */
  delimiter?: string | undefined;
  /** Tables of so many rows and more are split for an engine that joins them (`splitTables`). By default none is. */
  longTableRows?: number | undefined;
  /** Whether links of the text of slides get marks from which a PDF gets its links. Images never need links. */
  marksLinks?: boolean | undefined;
  /** Whether content controls become fields of a PDF, which get their names. */
  exportFormFields?: boolean | undefined;
  /** The password of an encrypted package of Word, Excel or PowerPoint. */
  password?: string | undefined;
}

/** Facts about a document. */
export interface SourceFacts {
  revisions: { insertions: number; deletions: number; moves: number; formatting: number };
  comments: number;
  /** Number of fields that keep the text they last showed, by the name of the field. */
  frozenFields: Readonly<Record<string, number>>;
  /** Scripts of the text, except Latin, and some of its emoji. */
  scripts: readonly string[];
  /** Whether the blank pages that an engine inserts are pages of the result. */
  hasBlankPages: boolean;
  /** The places for fields, by the addresses of links, which begin with `prefix`. Undefined if there are none. */
  fieldPlaces?: { prefix: string; fields: readonly PlacedField[] };
  /** The names of the form fields of a PDF. Undefined if there are none. */
  formFields?: readonly FormFieldName[];
  /** The links whose texts are marked. Undefined if there are none. */
  textLinks?: readonly TextLink[];
}

/** An uploaded file after sanitizing. */
export interface PreparedSource {
  bytes: Buffer;
  /** The import filter that the engine must use. */
  engineSource: EngineSource;
  dropped: readonly Dropped[];
  /** Whether long tables are in pieces, which the engine must join. */
  isInPieces?: boolean;
  /** What the survey of this format finds. */
  facts?: Partial<SourceFacts>;
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
