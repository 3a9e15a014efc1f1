import type { EngineSource } from '@scriptorium/sanitizer/sources';
import type { TargetFormat } from '@scriptorium/shared/jobs/target-formats';
import type { ConversionRequest } from '../engine.ts';

interface ImportFilter {
  /** Its name in LibreOffice's `share/registry/writer.xcd`. */
  filter: string;
  /** The types that LibreOffice's detection gives to files of this format. */
  types: RegExp;
}

/**
 * How LibreOffice reads a format. How it writes one is in `TARGET_FORMATS`, but for what follows. What of these names
 * depends on its version: `libreoffice.mjs`.
 */
export const IMPORT_FILTERS: Record<EngineSource, ImportFilter> = {
  docx: { filter: 'MS Word 2007 XML', types: /^(writer_MS_Word_2007|writer_OOXML)/ },
  odt: { filter: 'writer8', types: /^writer8$/ },
  rtf: { filter: 'Rich Text Format', types: /^writer_Rich_Text_Format$/ },
  doc: { filter: 'MS Word 97', types: /^writer_MS_(Word_9[57]|WinWord_60)$/ },
  // Of the two filters for HTML the one whose documents have pages; the other makes Writer/Web documents.
  html: { filter: 'HTML (StarWriter)', types: /^generic_HTML$/ },
};

/**
 * The suffix by which LibreOfficeKit finds the filter that writes ODT. It knows only its own list of suffixes, and its
 * filter for `odt` reads too: any file that LibreOffice detects as ODF would meet it. The profile puts a filter that
 * only writes where LibreOfficeKit's list has that for EPUB, which is of no use here.
 */
const ODT_SUFFIX = 'epub';
/** The name that LibreOfficeKit's list has for that suffix. */
export const ODT_EXPORT_FILTER = 'EPUB';

/** The suffix by which LibreOfficeKit finds the filter that writes a format. */
export function suffixOf(format: TargetFormat | EngineSource): string {
  return format === 'odt' ? ODT_SUFFIX : format;
}

/** The options of the export filters that need some. */
const FILTER_OPTIONS: { readonly [Format in TargetFormat]?: (request: ConversionRequest) => string } = {
  pdf: pdfOptions,
  html: () => 'EmbedImages',
};

/** The options of the export filter for a request; printable ASCII without a space. */
export function filterOptionsOf(request: ConversionRequest): string | undefined {
  return FILTER_OPTIONS[request.to]?.(request);
}

/** `SelectPdfVersion` of LibreOffice's PDF export. */
const PDF_VERSIONS = { '1b': 1, '2b': 2, '3b': 3 } as const;

/**
 * The JSON that LibreOffice's PDF export takes as its filter options. Comments are left out altogether unless asked for:
 * by default it would write them as notes that a viewer shows.
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
