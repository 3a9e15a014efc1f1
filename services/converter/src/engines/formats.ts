import { TARGET_FORMATS, type TargetFormat } from '@scriptorium/contracts/jobs/target-formats';
import type { EngineSource } from '@scriptorium/sanitizer/sources';
import type { ConversionRequest } from './engine.ts';

/** The programs of LibreOffice, by the first word of their export filters. */
type Program = 'writer' | 'calc' | 'impress';

interface ImportFilter {
  /** Its name in LibreOffice's `share/registry`. */
  filter: string;
  /** The types that LibreOffice's detection gives to files of this format. */
  types: RegExp;
  /**
   * The filter refuses all other formats, so it reads each document without detection, which costs a tenth of a page. Some
   * others read any bytes.
   */
  isStrict?: boolean;
  program: Program;
}

/**
 * How LibreOffice reads a format. `TARGET_FORMATS` defines how it writes one, except for what follows here.
 * `libreoffice.mjs` lists the names that depend on its version.
 */
export const IMPORT_FILTERS: Record<EngineSource, ImportFilter> = {
  docx: {
    filter: 'MS Word 2007 XML',
    types: /^(writer_MS_Word_2007|writer_OOXML)/,
    program: 'writer',
    isStrict: true,
  },
  odt: { filter: 'writer8', types: /^writer8$/, program: 'writer' },
  rtf: { filter: 'Rich Text Format', types: /^writer_Rich_Text_Format$/, program: 'writer' },
  doc: { filter: 'MS Word 97', types: /^writer_MS_(Word_9[57]|WinWord_60)$/, program: 'writer' },
  // LibreOffice has two filters for HTML. This one makes documents with pages; the other makes Writer/Web documents.
  html: { filter: 'HTML (StarWriter)', types: /^generic_HTML$/, program: 'writer' },
  xlsx: { filter: 'Calc MS Excel 2007 XML', types: /^MS Excel 2007 XML$/, program: 'calc' },
  ods: { filter: 'calc8', types: /^calc8$/, program: 'calc' },
  pptx: { filter: 'Impress MS PowerPoint 2007 XML', types: /^MS PowerPoint 2007 XML$/, program: 'impress' },
  odp: { filter: 'impress8', types: /^impress8$/, program: 'impress' },
};

/**
 * The suffix by which LibreOfficeKit finds the filter that writes ODT. It knows only its own list of suffixes, and its filter for
 * `odt` also reads. So it could load any file that LibreOffice detects as ODF. The profile puts a write-only filter in the place
 * of the EPUB filter, which is not used here.
 */
const ODT_SUFFIX = 'epub';
/** The name of that suffix's filter in LibreOfficeKit's list. */
export const ODT_EXPORT_FILTER = 'EPUB';

/** The suffix by which LibreOfficeKit finds the filter that writes a format. */
export function suffixOf(format: TargetFormat | EngineSource): string {
  return format === 'odt' ? ODT_SUFFIX : format;
}

/** The name of the filter that writes a format from a document of another one. */
export function exportFilterOf(format: TargetFormat | EngineSource, from: EngineSource): string {
  if (format === 'odt') return ODT_EXPORT_FILTER;
  return format in TARGET_FORMATS
    ? targetFilterOf(format as TargetFormat, from)
    : IMPORT_FILTERS[format as EngineSource].filter;
}

/** The name of the filter that reads a format, in the engine host's arguments; `-` if LibreOffice must detect the format. */
export function namedFilterOf(source: EngineSource): string {
  const { filter, isStrict } = IMPORT_FILTERS[source];
  return isStrict ? filter : '-';
}

/** The filter of a target format, which each program has under a name of its own. */
export function targetFilterOf(format: TargetFormat, from: EngineSource): string {
  return TARGET_FORMATS[format].filter.replace(/^writer_/, `${IMPORT_FILTERS[from].program}_`);
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
function pdfOptions(request: ConversionRequest): string {
  const { pdfa, pdfua, tagged, pages, comments, hasBlankPages } = request;
  const options: Record<string, { type: 'long' | 'boolean' | 'string'; value: string }> = {
    ExportNotes: { type: 'boolean', value: 'false' },
    UseTaggedPDF: { type: 'boolean', value: String(tagged !== false) },
  };
  if (hasBlankPages) options.IsSkipEmptyPages = { type: 'boolean', value: 'false' };
  if (comments === 'margin') options.ExportNotesInMargin = { type: 'boolean', value: 'true' };
  if (pdfa !== undefined) options.SelectPdfVersion = { type: 'long', value: String(PDF_VERSIONS[pdfa]) };
  if (pdfua === true) options.PDFUACompliance = { type: 'boolean', value: 'true' };
  if (pages !== undefined) options.PageRange = { type: 'string', value: pages };
  const { imageQuality, maxImageResolution, exportFormFields } = request;
  if (imageQuality !== undefined) options.Quality = { type: 'long', value: String(imageQuality) };
  if (maxImageResolution !== undefined) {
    options.ReduceImageResolution = { type: 'boolean', value: 'true' };
    options.MaxImageResolution = { type: 'long', value: String(maxImageResolution) };
  }
  if (exportFormFields === true) options.ExportFormFields = { type: 'boolean', value: 'true' };
  return JSON.stringify(options);
}
