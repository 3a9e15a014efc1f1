import { execFileSync } from 'node:child_process';

/** The text of a PDF as poppler reads it, with single spaces. */
export function textOf(pdf: Buffer): string {
  return execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' }).replace(/\s+/g, ' ').trim();
}

/** The number of pages as poppler counts them. */
export function pagesOf(pdf: Buffer): number {
  const info = execFileSync('pdfinfo', ['-'], { input: pdf, encoding: 'utf8' });
  return Number(/^Pages:\s+(\d+)/m.exec(info)?.[1]);
}

/** Names of the fonts in a PDF, without the prefix of a subset. */
export function fontsOf(pdf: Buffer): string[] {
  const table = execFileSync('pdffonts', ['-'], { input: pdf, encoding: 'utf8' }).trim().split('\n').slice(2);
  return table.map((line) => (line.split(' ')[0] ?? '').replace(/^[A-Z]{6}\+/, ''));
}

/** Poppler's value of a field of a PDF, such as `Tagged`. */
export function infoOf(pdf: Buffer, field: string): string | undefined {
  const info = execFileSync('pdfinfo', ['-'], { input: pdf, encoding: 'utf8' });
  return new RegExp(`^${field}:\\s+(.*)$`, 'm').exec(info)?.[1];
}

/** The XMP metadata of a PDF. */
export function metadataOf(pdf: Buffer): string {
  return execFileSync('pdfinfo', ['-meta', '-'], { input: pdf, encoding: 'utf8' });
}

/** Which fonts of a PDF are embedded. */
export function embeddingOf(pdf: Buffer): boolean[] {
  const table = execFileSync('pdffonts', ['-'], { input: pdf, encoding: 'utf8' }).trim().split('\n').slice(2);
  // The columns after the encoding: emb sub uni, then the object's two numbers.
  return table.map((line) => line.trim().split(/\s+/).at(-5) === 'yes');
}
