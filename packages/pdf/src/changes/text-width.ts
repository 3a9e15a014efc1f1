import type { PdfDocument } from '../read/document.ts';
import { Dict, isName, Name, type PdfValue } from '../read/values.ts';

/** In em; the width of glyphs if a font does not give it. */
const GUESSED_WIDTH = 0.5;
const WIDTHS_MAX = 256;
/** The same glyph repeated this often is a rule or a leader, whatever its code means. */
const RULE_GLYPHS_MIN = 5;
const RULE_BYTES: ReadonlySet<number> = new Set(Buffer.from('_.- \u00b7', 'latin1'));

/** Glyph metrics of a font, in em. */
export interface FontWidths {
  dict: Dict | undefined;
  bytesPerGlyph: 1 | 2;
  /** The extent of glyphs above and below the base line. */
  ascent: number;
  descent: number;
  /** Vertical writing mode. */
  isVertical: boolean;
  widthOf(code: number): number;
  /** Whether the widths are those of the font, and not guesses. */
  isMeasured: boolean;
  /** Whether the font says that it has no glyph for a code. */
  lacks(code: number): boolean;
  /** Whether the next glyph overlaps this one or precedes it. */
  isStuck(code: number): boolean;
}

/** In em; every ASCII letter is wider, and every digit. */
const STUCK_WIDTH = 0.1;
const STUCK_DIGIT_WIDTH = 0.3;

/** In em; the ascent of most text fonts. */
const ASCENT = 0.75;
const DESCENT = 0.2;

export const GUESSED: FontWidths = {
  dict: undefined,
  bytesPerGlyph: 1,
  ascent: ASCENT,
  descent: DESCENT,
  isVertical: false,
  widthOf: () => GUESSED_WIDTH,
  isMeasured: false,
  lacks: () => false,
  isStuck: () => false,
};

/** Widths of Helvetica from U+0020, in 1/1000 em (Adobe Core 14 AFM files). Other sans-serif and serif fonts are hardly wider. */
const HELVETICA = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
  556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
  500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
  556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
  278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
] as const;
const COURIER_WIDTH = 0.6;

/** The widths of a font without any, which is one of those that readers have. */
function standardWidths(document: PdfDocument, font: Dict): Pick<FontWidths, 'widthOf' | 'isMeasured'> {
  const name = document.get(font, 'BaseFont');
  const isCourier = name instanceof Name && name.text.startsWith('Courier');
  const widthOf = (code: number): number =>
    isCourier ? COURIER_WIDTH : (HELVETICA[code - 0x20] ?? 1_000 * GUESSED_WIDTH) / 1_000;
  return { widthOf, isMeasured: true };
}

const numberOr = (value: PdfValue, otherwise: number): number =>
  typeof value === 'number' ? value : otherwise;

/** Reads the widths of a simple font, or the default width of a composite one. */
export function widthsOf(document: PdfDocument, font: PdfValue): FontWidths {
  if (!(font instanceof Dict)) return GUESSED;
  if (isName(document.get(font, 'Subtype'), 'Type0')) {
    const map = document.get(font, 'Encoding');
    const isVertical = map instanceof Name && map.text.endsWith('-V');
    return { ...GUESSED, dict: font, bytesPerGlyph: 2, isVertical };
  }
  const numbers = (key: string): number[] => {
    const value = document.get(font, key);
    return Array.isArray(value) ? value.map((item) => numberOr(document.resolve(item), 0)) : [];
  };
  const [scale = 0.001, , , height = scale] = numbers('FontMatrix').map(Math.abs);
  const box = numbers('FontBBox');
  // Type 3 glyphs have the size of the font's box. Without a box they may reach anywhere in their line.
  const [, below = 0, , above = 0] = box.map((side) => side * height);
  const isDrawn = isName(document.get(font, 'Subtype'), 'Type3');
  const reach =
    isDrawn && above > below ? { ascent: above, descent: -below } : { ascent: ASCENT, descent: DESCENT };
  const widths = document.get(font, 'Widths');
  if (!Array.isArray(widths))
    return { ...GUESSED, ...reach, ...(isDrawn ? {} : standardWidths(document, font)), dict: font };
  const first = numberOr(document.get(font, 'FirstChar'), 0);
  const known = widths.slice(0, WIDTHS_MAX).map((width) => document.resolve(width));
  return {
    ...GUESSED,
    ...reach,
    dict: font,
    isMeasured: true,
    lacks: (code) => code > 0x20 && typeof known[code - first] !== 'number',
    isStuck: (code) => {
      const width = known[code - first];
      const isLetter = code > 0x20 && code < 0x7f;
      const isDigit = code >= 0x30 && code <= 0x39;
      const widthMin = isDigit ? STUCK_DIGIT_WIDTH : STUCK_WIDTH;
      return isLetter && typeof width === 'number' && width * scale < widthMin;
    },
    widthOf: (code) => {
      const width = known[code - first];
      return typeof width === 'number' && width > 0 ? width * scale : GUESSED_WIDTH;
    },
  };
}

/** Splits a shown string into glyph codes. */
export function codesOf(text: Buffer, { bytesPerGlyph }: Pick<FontWidths, 'bytesPerGlyph'>): number[] {
  if (bytesPerGlyph === 1) return [...text];
  const codes: number[] = [];
  for (let at = 0; at + 1 < text.length; at += 2) codes.push(text.readUInt16BE(at));
  return codes;
}

/** Whether codes show only a line to write on: underscores, dots, blanks, or one repeated glyph. */
export function isRule(codes: readonly number[], { bytesPerGlyph }: FontWidths): boolean {
  if (bytesPerGlyph === 1 && codes.every((code) => RULE_BYTES.has(code))) return true;
  return codes.length >= RULE_GLYPHS_MIN && codes.every((code) => code === codes[0]);
}
