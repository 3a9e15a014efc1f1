import type { EngineSource } from '@scriptorium/sanitizer/sources';
import { TARGET_FORMATS, type TargetFormat } from '@scriptorium/shared/jobs/target-formats';
import type { ConversionRequest } from '../engine.ts';

interface ImportFilter {
  /** Its name in LibreOffice's `share/registry/writer.xcd`. */
  filter: string;
  /** The types that LibreOffice's detection gives to files of this format. */
  types: RegExp;
}

/**
 * How LibreOffice reads a format. `TARGET_FORMATS` defines how it writes one, except for what follows here.
 * `libreoffice.mjs` lists the names that depend on its version.
 */
export const IMPORT_FILTERS: Record<EngineSource, ImportFilter> = {
  docx: { filter: 'MS Word 2007 XML', types: /^(writer_MS_Word_2007|writer_OOXML)/ },
  odt: { filter: 'writer8', types: /^writer8$/ },
  rtf: { filter: 'Rich Text Format', types: /^writer_Rich_Text_Format$/ },
  doc: { filter: 'MS Word 97', types: /^writer_MS_(Word_9[57]|WinWord_60)$/ },
  // LibreOffice has two filters for HTML. This one makes documents with pages; the other makes Writer/Web documents.
  html: { filter: 'HTML (StarWriter)', types: /^generic_HTML$/ },
};

/**
 * The suffix by which LibreOfficeKit finds the filter that writes ODT. It knows only its own list of suffixes, and its
 * filter for `odt` also reads: it could then load any file that LibreOffice detects as ODF. The profile puts a
 * write-only filter in the place of the EPUB filter, which is not used here.
 */
const ODT_SUFFIX = 'epub';
/** The name of that suffix's filter in LibreOfficeKit's list. */
export const ODT_EXPORT_FILTER = 'EPUB';

/** The suffix by which LibreOfficeKit finds the filter that writes a format. */
export function suffixOf(format: TargetFormat | EngineSource): string {
  return format === 'odt' ? ODT_SUFFIX : format;
}

/** The name of the filter that writes a format. */
export function exportFilterOf(format: TargetFormat | EngineSource): string {
  if (format === 'odt') return ODT_EXPORT_FILTER;
  return format in TARGET_FORMATS
    ? TARGET_FORMATS[format as TargetFormat].filter
    : IMPORT_FILTERS[format as EngineSource].filter;
}

/** The options of the export filters that need some. */
const FILTER_OPTIONS: { readonly [Format in TargetFormat]?: (request: ConversionRequest) => string } = {
  pdf: pdfOptions,
  html: () => 'EmbedImages',
};

/** The export filter's options for a request; printable ASCII without a space. */
export function filterOptionsOf(request: ConversionRequest): string | undefined {
  return FILTER_OPTIONS[request.to]?.(request);
}

/** `SelectPdfVersion` of LibreOffice's PDF export. */
const PDF_VERSIONS = { '1b': 1, '2b': 2, '3b': 3 } as const;

/**
 * The JSON that LibreOffice's PDF export accepts as its filter options. Comments are omitted unless requested: by
 * default LibreOffice would write them as notes that a viewer shows.
 */
function pdfOptions({ pdfa, pdfua, pages, comments }: ConversionRequest): string {
  const options: Record<string, { type: 'long' | 'boolean' | 'string'; value: string }> = {
    ExportNotes: { type: 'boolean', value: 'false' },
  };
  if (comments === 'margin') options.ExportNotesInMargin = { type: 'boolean', value: 'true' };
  if (pdfa !== undefined) options.SelectPdfVersion = { type: 'long', value: String(PDF_VERSIONS[pdfa]) };
  if (pdfua === true) options.PDFUACompliance = { type: 'boolean', value: 'true' };
  if (pages !== undefined) options.PageRange = { type: 'string', value: pages };
  return JSON.stringify(options);
}
