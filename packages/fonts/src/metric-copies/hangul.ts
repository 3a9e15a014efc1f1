import { type CffIndex, type Operand, readDict, readIndex } from '../cff.ts';
import type { Sfnt } from '../sfnt.ts';
import { writeSfnt } from '../sfnt-file.ts';
import { copyNames } from './names.ts';
import type { Face } from './table.ts';

export const HANGUL = 'Scriptor Hangul';
/** Hangul, and signs that stand among it: a font that lacks one of them would not be taken for the text. */
const CHARACTERS = [
  [0x2010, 0x203b],
  [0x3000, 0x303f],
  [0x3131, 0x318e],
  [0xac00, 0xd7a3],
  [0xff01, 0xff60],
] as const;
const KEPT = ['head', 'hhea', 'maxp', 'OS/2'];
/** Top DICT and Private DICT operators (Adobe Technical Note 5176, 9, 10 and 15). */
const [CHAR_STRINGS, FD_ARRAY, PRIVATE, DEFAULT_WIDTH] = [17, 0x0c24, 18, 20];
/** The first bytes of numbers of five and of two bytes, and the least of the latter. */
const [LONG, SHORT, SHORT_MIN] = [29, 247, 108];
const END_CHAR = Buffer.from([14]);

/**
 * A font file with the Hangul of a Noto CJK font. Its syllables are as wide as they are high, as in the Korean fonts of Office.
 * Throws for a font of another kind.
 */
export function hangulFont(font: Sfnt, face: Face): Buffer {
  const glyphs = new Map<number, number>();
  for (const [first, last] of CHARACTERS)
    for (let code = first; code <= last; code++) {
      const glyph = font.glyph(code);
      if (glyph !== 0) glyphs.set(code, glyph);
    }
  const syllable = font.advance(glyphs.get(0xac00) ?? 0);
  const em = font.metrics.unitsPerEm;
  const hmtx = font.read('hmtx');
  for (const glyph of glyphs.values())
    if (font.advance(glyph) === syllable) hmtx.writeUInt16BE(em, 4 * glyph);
  const post = Buffer.alloc(32);
  post.writeUInt32BE(0x00030000, 0);
  const tables = new Map(KEPT.map((tag) => [tag, font.read(tag)]));
  tables.set('CFF ', outlines(font.read('CFF '), new Set([0, ...glyphs.values()]), syllable, em));
  tables.set('cmap', characterMap(glyphs)).set('hmtx', hmtx).set('post', post);
  return writeSfnt(tables.set('name', copyNames(font, HANGUL, face)));
}

/** The CFF with these outlines only. Those with the default width `from` have the width `to`. */
function outlines(cff: Buffer, kept: ReadonlySet<number>, from: number, to: number): Buffer {
  const top = readDict(cff, readIndex(cff, readIndex(cff, cff.readUInt8(2)).end).item(0));
  const [array] = top.get(FD_ARRAY) ?? [];
  const old = readIndex(cff, top.get(CHAR_STRINGS)?.[0]?.value ?? 0);
  if (array === undefined || array.value < old.end) throw new Error('The outlines are in another order.');
  const items = Array.from({ length: old.count }, (_, glyph) => {
    const { start, end } = old.item(glyph);
    return kept.has(glyph) ? cff.subarray(start, end) : END_CHAR;
  });
  const charStrings = indexOf(items);
  const moved = old.start + charStrings.length - old.end;
  const fonts = readIndex(cff, array.value);
  for (const place of [array, ...placesOf(cff, fonts, from, to)]) {
    if (cff.readUInt8(place.at) !== LONG) throw new Error('An offset is too short.');
    cff.writeInt32BE(place.value + moved, place.at + 1);
  }
  return Buffer.concat([cff.subarray(0, old.start), charStrings, cff.subarray(old.end)]);
}

/** The offsets of the Private DICTs, whose default width becomes `to`. */
function placesOf(cff: Buffer, fonts: CffIndex, from: number, to: number): Operand[] {
  return Array.from({ length: fonts.count }, (_, index) => {
    const [size, offset] = readDict(cff, fonts.item(index)).get(PRIVATE) ?? [];
    if (size === undefined || offset === undefined) throw new Error('A font of the set has no widths.');
    const own = readDict(cff, { start: offset.value, end: offset.value + size.value });
    const [width] = own.get(DEFAULT_WIDTH) ?? [];
    // Both numbers have two bytes.
    if (width?.value === from) cff.writeUInt16BE((SHORT << 8) + to - SHORT_MIN, width.at);
    return offset;
  });
}

/** An INDEX (Adobe Technical Note 5176, 5). */
function indexOf(items: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(3 + 4 * (items.length + 1));
  head.writeUInt16BE(items.length, 0);
  head.writeUInt8(4, 2);
  let offset = 1;
  for (const [index, item] of items.entries()) {
    head.writeUInt32BE(offset, 3 + 4 * index);
    offset += item.length;
  }
  head.writeUInt32BE(offset, head.length - 4);
  return Buffer.concat([head, ...items]);
}

/** A table with one subtable of format 12 (ISO/IEC 14496-22, 5.2.1). */
function characterMap(glyphs: ReadonlyMap<number, number>): Buffer {
  const [head, group] = [28, 12];
  const table = Buffer.alloc(head + group * glyphs.size);
  table.writeUInt16BE(1, 2);
  table.writeUInt32BE((3 << 16) | 10, 4);
  table.writeUInt32BE(12, 8);
  table.writeUInt16BE(12, 12);
  table.writeUInt32BE(table.length - 12, 16);
  table.writeUInt32BE(glyphs.size, 24);
  for (const [index, [code, glyph]] of [...glyphs].entries())
    for (const [column, value] of [code, code, glyph].entries())
      table.writeUInt32BE(value, head + group * index + 4 * column);
  return table;
}
