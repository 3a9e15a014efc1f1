import type { Sfnt } from '../sfnt.ts';
import type { MetricCopy, Widths } from './table.ts';

/** The unit of widths in the table. */
export const UNITS = 2048;
const CODE_POINT_MAX = 0x2fff;
/** Fewer widths than this say little about the others. */
const WIDTHS_MIN = 10;

/** The new advance of each glyph of a font that has a character, in the font's own units. Throws for a damaged font. */
export function newAdvances(
  font: Sfnt,
  { advance, widths: { regular } }: MetricCopy,
  own: Widths,
): Map<number, number> {
  const unit = font.metrics.unitsPerEm / UNITS;
  const widths = own.size >= WIDTHS_MIN ? own : regular;
  const usual = usualScale(font, widths, unit);
  const advances = new Map<number, number>();
  /** Characters with a width of their own go before those that share their glyph. */
  for (const isOwn of [true, false])
    for (let code = 0x20; code <= CODE_POINT_MAX; code++) {
      const glyph = font.glyph(code);
      if (glyph === 0 || advances.has(glyph)) continue;
      const character = String.fromCodePoint(code);
      const width = advance ?? own.get(isOwn ? character : baseOf(character));
      const old = font.advance(glyph);
      // A mark without a width stays without one.
      if (old === 0) advances.set(glyph, 0);
      else if (width !== undefined) advances.set(glyph, Math.round(width * unit));
      else if (!isOwn) advances.set(glyph, Math.round(old * usual));
    }
  return advances;
}

/** A letter with marks is as wide as the letter. */
const baseOf = (character: string): string => character.normalize('NFD')[0] ?? character;

/** By how much the known characters are wider: the median. */
function usualScale(font: Sfnt, widths: Widths, unit: number): number {
  const scales: number[] = [];
  for (const [character, width] of widths) {
    const old = font.advance(font.glyph(character.codePointAt(0) ?? 0));
    if (old > 0) scales.push((width * unit) / old);
  }
  return scales.sort((a, b) => a - b)[scales.length >> 1] ?? 1;
}
