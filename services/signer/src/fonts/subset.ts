import type { FontFile } from './font-file.ts';
import { writeTables } from './sfnt.ts';

/** Flags of a composite glyph's part (ISO/IEC 14496-22, 5.3.4.2). */
const WORDS = 1;
const SCALE = 8;
const MORE = 32;
const TWO_SCALES = 64;
const MATRIX = 128;

/** What of a font a text needs: glyphs get new numbers, in the order in which they are first asked for. */
export class Subset {
  readonly font: FontFile;
  /** Old numbers by new ones; .notdef is always there. */
  readonly glyphs: number[] = [];
  readonly #numbers = new Map<number, number>();

  constructor(font: FontFile) {
    this.font = font;
    this.numberOf(0);
  }

  /** The new number of a glyph. */
  numberOf(glyph: number): number {
    const known = this.#numbers.get(glyph);
    if (known !== undefined) return known;
    const number = this.glyphs.length;
    this.#numbers.set(glyph, number);
    this.glyphs.push(glyph);
    return number;
  }

  /** A TrueType file of these glyphs and those that they are composed of. */
  write(): Buffer {
    const outlines: Buffer[] = [];
    // Grows while it is walked: a composite glyph adds its parts.
    for (let number = 0; number < this.glyphs.length; number++) {
      outlines.push(this.#outline(this.glyphs[number] ?? 0));
    }
    const { tables } = this.font;
    const table = (tag: string): Buffer => Buffer.from(tables.get(tag) ?? Buffer.alloc(0));
    const head = table('head');
    head.writeUInt32BE(0, 8);
    head.writeInt16BE(1, 50);
    const hhea = table('hhea');
    hhea.writeUInt16BE(this.glyphs.length, 34);
    const maxp = table('maxp');
    maxp.writeUInt16BE(this.glyphs.length, 4);
    const hints = ['cvt ', 'fpgm', 'prep'].filter((tag) => tables.has(tag));
    return writeTables([
      ['head', head],
      ['hhea', hhea],
      ['maxp', maxp],
      ['hmtx', this.#metrics()],
      ['loca', offsetsOf(outlines)],
      ['glyf', Buffer.concat(outlines)],
      ...hints.map((tag) => [tag, table(tag)] as const),
    ]);
  }

  /** A glyph's outline, its parts under their new numbers, padded to four bytes. */
  #outline(glyph: number): Buffer {
    const { tables } = this.font;
    const loca = tables.get('loca') ?? Buffer.alloc(0);
    const glyf = tables.get('glyf') ?? Buffer.alloc(0);
    const isLong = tables.get('head')?.readInt16BE(50) === 1;
    const place = (index: number) =>
      isLong ? loca.readUInt32BE(4 * index) : 2 * loca.readUInt16BE(2 * index);
    const source = glyf.subarray(place(glyph), place(glyph + 1));
    const outline = Buffer.alloc((source.length + 3) & ~3);
    source.copy(outline);
    if (source.length > 10 && source.readInt16BE(0) < 0) this.#renumberParts(outline);
    return outline;
  }

  #renumberParts(outline: Buffer): void {
    let at = 10;
    let flags = MORE;
    while (flags & MORE) {
      flags = outline.readUInt16BE(at);
      outline.writeUInt16BE(this.numberOf(outline.readUInt16BE(at + 2)), at + 2);
      at += 4 + (flags & WORDS ? 4 : 2);
      if (flags & SCALE) at += 2;
      else if (flags & TWO_SCALES) at += 4;
      else if (flags & MATRIX) at += 8;
    }
  }

  #metrics(): Buffer {
    const source = this.font.tables.get('hmtx') ?? Buffer.alloc(0);
    const full = this.font.tables.get('hhea')?.readUInt16BE(34) ?? 1;
    const metrics = Buffer.alloc(4 * this.glyphs.length);
    for (const [number, glyph] of this.glyphs.entries()) {
      metrics.writeUInt16BE(source.readUInt16BE(4 * Math.min(glyph, full - 1)), 4 * number);
      const bearing = glyph < full ? 4 * glyph + 2 : 4 * full + 2 * (glyph - full);
      if (bearing + 2 <= source.length) metrics.writeInt16BE(source.readInt16BE(bearing), 4 * number + 2);
    }
    return metrics;
  }
}

function offsetsOf(outlines: readonly Buffer[]): Buffer {
  const loca = Buffer.alloc(4 * (outlines.length + 1));
  let offset = 0;
  for (const [number, outline] of outlines.entries()) {
    loca.writeUInt32BE(offset, 4 * number);
    offset += outline.length;
  }
  loca.writeUInt32BE(offset, 4 * outlines.length);
  return loca;
}
