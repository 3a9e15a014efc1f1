import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, type PdfValue } from '../read/values.ts';

/** In em, where a font does not say. */
const GUESSED_WIDTH = 0.5;
const WIDTHS_MAX = 256;
/** So many times the same glyph is a rule or a leader, whatever its code means. */
const RULE_GLYPHS_MIN = 5;
const RULE_BYTES: ReadonlySet<number> = new Set(Buffer.from('_.- \u00b7', 'latin1'));

/** How wide the glyphs of a font are; in em, so that a size makes them lengths. */
export interface FontWidths {
  bytesPerGlyph: 1 | 2;
  widthOf(code: number): number;
}

const guessed: FontWidths = { bytesPerGlyph: 1, widthOf: () => GUESSED_WIDTH };

const numberOr = (value: PdfValue, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/** What is readily known of a font: the widths of a simple one, the default of a composite one. */
export function widthsOf(document: PdfDocument, font: PdfValue): FontWidths {
  if (!(font instanceof Dict)) return guessed;
  if (isName(document.get(font, 'Subtype'), 'Type0'))
    return { bytesPerGlyph: 2, widthOf: () => GUESSED_WIDTH };
  const widths = document.get(font, 'Widths');
  if (!Array.isArray(widths)) return guessed;
  const first = numberOr(document.get(font, 'FirstChar'), 0);
  const matrix = document.get(font, 'FontMatrix');
  const scale = Array.isArray(matrix)
    ? Math.abs(numberOr(document.resolve(matrix[0] ?? null), 0.001))
    : 0.001;
  const known = widths.slice(0, WIDTHS_MAX).map((width) => document.resolve(width));
  return {
    bytesPerGlyph: 1,
    widthOf: (code) => {
      const width = known[code - first];
      return typeof width === 'number' && width > 0 ? width * scale : GUESSED_WIDTH;
    },
  };
}

/** The codes of the glyphs that a string shows. */
export function codesOf(text: Buffer, { bytesPerGlyph }: FontWidths): number[] {
  if (bytesPerGlyph === 1) return [...text];
  const codes: number[] = [];
  for (let at = 0; at + 1 < text.length; at += 2) codes.push(text.readUInt16BE(at));
  return codes;
}

/** Whether codes show no more than a line to write on: underscores, dots, blanks, or any one glyph many times. */
export function isRule(codes: readonly number[], { bytesPerGlyph }: FontWidths): boolean {
  if (bytesPerGlyph === 1 && codes.every((code) => RULE_BYTES.has(code))) return true;
  return codes.length >= RULE_GLYPHS_MIN && codes.every((code) => code === codes[0]);
}
