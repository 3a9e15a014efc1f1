import type { SourceSanitizer } from './source.ts';

/**
 * Every source format, and what its documents pass before an engine sees them. To add one: a file, and a line here. The
 * code is loaded when it is first asked for: those who only ask for the names of the formats do without.
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
