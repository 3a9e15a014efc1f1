import type { Sfnt } from '../sfnt.ts';
import { writeSfnt } from '../sfnt-file.ts';
import { type Across, drawnAcross } from './across.ts';
import { newAdvances, UNITS } from './advances.ts';
import { copyNames } from './names.ts';
import type { Face, MetricCopy } from './table.ts';

/** Layout stays except for ligatures, which Office does not make unless it is asked to. */
const KEPT = ['cmap', 'GDEF', 'GPOS', 'kern', 'maxp', 'post'];
/** Letters are not stretched or squeezed beyond this. The rest is room at their sides. */
const [SCALE_MIN, SCALE_MAX] = [0.75, 1.3];

/**
 * A font file with the letters of a TrueType font, each drawn across the width that it has in another font. The height of lines
 * is that of the other font. It has no programs for hinting, and names of its own. Throws for a font without such outlines or
 * with damaged tables.
 */
export function metricCopy(font: Sfnt, copy: MetricCopy, face: Face): Buffer {
  if (!font.has('glyf')) throw new Error(`${font.source.path} has no TrueType outlines`);
  const old = oldGlyphs(font);
  const advances = newAdvances(font, copy, copy.widths[face]);
  const advanceOf = (glyph: number) => advances.get(glyph) ?? font.advance(glyph);
  const across = old.map((_, glyph): Across => acrossOf(font.advance(glyph), advanceOf(glyph)));
  const drawn = old.map((glyph, index) =>
    drawnAcross(glyph, across[index] ?? SAME, (component) => ({
      ...(across[component] ?? SAME),
      middle: middleOf(old[component]),
    })),
  );
  const { glyf, loca } = joined(drawn);
  const tables = new Map(KEPT.filter((tag) => font.has(tag)).map((tag) => [tag, font.read(tag)]));
  tables.set('glyf', glyf).set('loca', loca).set('head', head(font, face));
  tables
    .set('hmtx', horizontalMetrics(drawn, advanceOf))
    .set('hhea', horizontalHead(font, copy, drawn.length));
  tables.set('OS/2', os2(font, copy, face)).set('name', copyNames(font, copy.family, face));
  return writeSfnt(tables);
}

const SAME: Across = { scale: 1, shift: 0 };

function acrossOf(old: number, advance: number): Across {
  if (old === 0 || advance === old) return SAME;
  const scale = Math.min(SCALE_MAX, Math.max(SCALE_MIN, advance / old));
  return { scale, shift: (advance - old * scale) / 2 };
}

function oldGlyphs(font: Sfnt): Buffer[] {
  const [loca, glyf] = [font.read('loca'), font.read('glyf')];
  const isLong = font.table('head').readInt16BE(50) === 1;
  const offsetOf = (index: number) =>
    isLong ? loca.readUInt32BE(4 * index) : 2 * loca.readUInt16BE(2 * index);
  return Array.from({ length: font.glyphCount }, (_, index) =>
    glyf.subarray(offsetOf(index), offsetOf(index + 1)),
  );
}

const middleOf = (glyph: Buffer | undefined): number =>
  glyph === undefined || glyph.length === 0 ? 0 : (glyph.readInt16BE(2) + glyph.readInt16BE(6)) / 2;

function joined(glyphs: readonly Buffer[]): { glyf: Buffer; loca: Buffer } {
  const loca = Buffer.alloc(4 * (glyphs.length + 1));
  const parts: Buffer[] = [];
  let offset = 0;
  for (const [index, glyph] of glyphs.entries()) {
    const gap = -glyph.length & 3;
    parts.push(glyph, Buffer.alloc(gap));
    offset += glyph.length + gap;
    loca.writeUInt32BE(offset, 4 * (index + 1));
  }
  return { glyf: Buffer.concat(parts), loca };
}

function horizontalMetrics(glyphs: readonly Buffer[], advanceOf: (glyph: number) => number): Buffer {
  const table = Buffer.alloc(4 * glyphs.length);
  for (const [index, glyph] of glyphs.entries()) {
    table.writeUInt16BE(advanceOf(index), 4 * index);
    table.writeInt16BE(glyph.length === 0 ? 0 : glyph.readInt16BE(2), 4 * index + 2);
  }
  return table;
}

/** The ascent and descent of a copy in units of its font; undefined if they are those of the font. */
function heights({ metrics }: Sfnt, { ascent, descent }: MetricCopy): [number, number] | undefined {
  const unit = metrics.unitsPerEm / UNITS;
  if (ascent === undefined || descent === undefined) return undefined;
  return [Math.round(ascent * unit), Math.round(descent * unit)];
}

function horizontalHead(font: Sfnt, copy: MetricCopy, glyphs: number): Buffer {
  const table = Buffer.from(font.table('hhea'));
  table.writeUInt16BE(glyphs, 34);
  const own = heights(font, copy);
  if (own === undefined) return table;
  const [ascent, descent] = own;
  table.writeInt16BE(ascent, 4);
  table.writeInt16BE(-descent, 6);
  table.writeInt16BE(0, 8);
  return table;
}

const isBold = (face: Face): boolean => face === 'bold' || face === 'boldItalic';
const isItalic = (face: Face): boolean => face === 'italic' || face === 'boldItalic';

/** `loca` is long, and the left ends of glyphs are in `hmtx`. */
function head(font: Sfnt, face: Face): Buffer {
  const table = Buffer.from(font.table('head'));
  table.writeUInt16BE((isBold(face) ? 1 : 0) | (isItalic(face) ? 2 : 0), 44);
  table.writeInt16BE(1, 50);
  return table;
}

/** Bits of `fsSelection`: italic, bold, regular, and that typographic metrics count. */
const [ITALIC, BOLD, REGULAR, TYPOGRAPHIC] = [0x01, 0x20, 0x40, 0x80];
const [WEIGHT_REGULAR, WEIGHT_BOLD] = [400, 700];

function os2(font: Sfnt, copy: MetricCopy, face: Face): Buffer {
  const table = Buffer.from(font.read('OS/2'));
  const lines = heights(font, copy);
  const kept = table.readUInt16BE(62) & ~(ITALIC | BOLD | REGULAR | (lines ? TYPOGRAPHIC : 0));
  const own = (isItalic(face) ? ITALIC : 0) | (isBold(face) ? BOLD : 0);
  table.writeUInt16BE(isBold(face) ? WEIGHT_BOLD : WEIGHT_REGULAR, 4);
  table.writeUInt16BE(kept | (own === 0 ? REGULAR : own), 62);
  if (lines === undefined) return table;
  const [ascent, descent] = lines;
  table.writeInt16BE(ascent, 68);
  table.writeInt16BE(-descent, 70);
  table.writeInt16BE(0, 72);
  table.writeUInt16BE(ascent, 74);
  table.writeUInt16BE(descent, 76);
  return table;
}
