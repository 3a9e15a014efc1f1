import type { SourceSanitizer } from './source.ts';

/**
 * Every source format with its sanitizer. To add a format: a file, and a line here. The code is loaded on first use, so
 * callers that only need the names of the formats do not load it.
 */
export const SOURCE_SANITIZERS = {
  docx: async () => (await import('./docx.ts')).docxSanitizer,
  odt: async () => (await import('./odt.ts')).odtSanitizer,
  rtf: async () => (await import('./rtf.ts')).rtfSanitizer,
  doc: async () => (await import('./doc.ts')).docSanitizer,
  html: async () => (await import('./html.ts')).htmlSanitizer,
  md: async () => (await import('./markdown.ts')).markdownSanitizer,
  txt: async () => (await import('./text.ts')).textSanitizer,
} satisfies Record<string, () => Promise<SourceSanitizer>>;

export type SourceFormat = keyof typeof SOURCE_SANITIZERS;
export const SOURCE_FORMATS = Object.keys(SOURCE_SANITIZERS) as SourceFormat[];
