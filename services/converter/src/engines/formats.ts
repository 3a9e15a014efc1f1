import type { EngineSource } from '@scriptorium/sanitizer/sources/source';
import type { ConversionRequest, EngineTarget } from '../engine.ts';

interface SourceFormat {
  /** LibreOffice's import filter. */
  filter: string;
  /** The types that LibreOffice's detection gives to files of this format. */
  types: RegExp;
}

/** Names as in LibreOffice's `share/registry/writer.xcd`. */
export const SOURCES: Record<EngineSource, SourceFormat> = {
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
export const ODT_SUFFIX = 'epub';
/** The name that LibreOfficeKit's list has for that suffix. */
export const ODT_EXPORT_FILTER = 'EPUB';

interface TargetFormat {
  filter: string;
  /** For LibreOfficeKit; by default the target's own name. */
  suffix?: string;
  /** The export filter's options; printable ASCII without a space. */
  options?: (request: ConversionRequest) => string;
}

export const TARGETS: Record<EngineTarget, TargetFormat> = {
  pdf: { filter: 'writer_pdf_Export', options: pdfOptions },
  docx: { filter: 'MS Word 2007 XML' },
  odt: { filter: 'writer8', suffix: ODT_SUFFIX },
  html: { filter: 'HTML (StarWriter)', options: () => 'EmbedImages' },
  txt: { filter: 'Text' },
  png: { filter: 'writer_png_Export' },
};

/** `SelectPdfVersion` of LibreOffice's PDF export. */
const PDF_VERSIONS = { '1b': 1, '2b': 2, '3b': 3 } as const;

/**
 * The JSON that LibreOffice's PDF export takes as its filter options, from 7.4 on. Comments are left out altogether
 * unless asked for: by default it would write them as notes that a viewer shows.
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
