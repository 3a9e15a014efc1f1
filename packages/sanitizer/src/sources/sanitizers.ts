import type { SourceSanitizer } from './source.ts';

/**
 * Every source format with its sanitizer. To add a format: a file, and a line here. The code is loaded on first use, so
 * callers that only need the names of the formats do not load it.
 */
export const SOURCE_SANITIZERS = {
  docx: async () => (await import('./docx.ts')).docxSanitizer,
  docm: async () => (await import('./docx.ts')).docxSanitizer,
  dotx: async () => (await import('./docx.ts')).docxSanitizer,
  dotm: async () => (await import('./docx.ts')).docxSanitizer,
  odt: async () => (await import('./odt.ts')).odtSanitizer,
  rtf: async () => (await import('./rtf.ts')).rtfSanitizer,
  doc: async () => (await import('./doc.ts')).docSanitizer,
  html: async () => (await import('./html.ts')).htmlSanitizer,
  md: async () => (await import('./markdown.ts')).markdownSanitizer,
  txt: async () => (await import('./text.ts')).textSanitizer,
  xlsx: async () => (await import('./xlsx.ts')).xlsxSanitizer,
  xlsm: async () => (await import('./xlsx.ts')).xlsxSanitizer,
  xltx: async () => (await import('./xlsx.ts')).xlsxSanitizer,
  ods: async () => (await import('./odt.ts')).odsSanitizer,
  csv: async () => (await import('./csv.ts')).csvSanitizer,
  pptx: async () => (await import('./pptx.ts')).pptxSanitizer,
  pptm: async () => (await import('./pptx.ts')).pptxSanitizer,
  potx: async () => (await import('./pptx.ts')).pptxSanitizer,
  ppsx: async () => (await import('./pptx.ts')).pptxSanitizer,
  odp: async () => (await import('./odt.ts')).odpSanitizer,
} satisfies Record<string, () => Promise<SourceSanitizer>>;

export type SourceFormat = keyof typeof SOURCE_SANITIZERS;
export const SOURCE_FORMATS = Object.keys(SOURCE_SANITIZERS) as SourceFormat[];

const SHEETS = new Set<SourceFormat>(['xlsx', 'xlsm', 'xltx', 'ods', 'csv']);
const SLIDES = new Set<SourceFormat>(['pptx', 'pptm', 'potx', 'ppsx', 'odp']);

/** Formats of the package that Word writes, which have tracked changes. */
export const WORD_SOURCES: readonly SourceFormat[] = ['docx', 'docm', 'dotx', 'dotm'];

/** Formats whose documents are opened with a password. */
export const PASSWORD_SOURCES: readonly SourceFormat[] = [
  ...WORD_SOURCES,
  ...(['xlsx', 'xlsm', 'xltx', 'pptx', 'pptm', 'potx', 'ppsx'] as const),
];

/** Formats of texts. All others are spreadsheets and presentations, which have pages, but no text that flows. */
export const TEXT_SOURCES: readonly SourceFormat[] = SOURCE_FORMATS.filter(
  (format) => !SHEETS.has(format) && !SLIDES.has(format),
);
