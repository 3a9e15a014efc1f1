import { readDict, readIndex } from './cff.ts';
import type { Sfnt } from './sfnt.ts';

/** DICT operators (Adobe Technical Note 5176, 9 and 18). */
const CHARSET = 15;
const CHAR_STRINGS = 17;
const ROS = 0x0c1e;

/** Consecutive glyphs with consecutive CIDs. */
interface Range {
  glyph: number;
  cid: number;
  count: number;
}

const known = new WeakMap<Sfnt, Range[] | undefined>();

/** Whether the glyphs of a font have CIDs: its outlines are CFF, and it says so. */
export function hasCids(font: Sfnt): boolean {
  if (!known.has(font)) known.set(font, font.has('CFF ') ? readRanges(font.read('CFF ')) : undefined);
  return known.get(font) !== undefined;
}

/**
 * The number by which a PDF calls a glyph of an embedded font (ISO 32000-2, 9.7.4.2). It is the CID, or the own number in a font
 * without CIDs.
 */
export function cidOf(font: Sfnt, glyph: number): number {
  if (glyph === 0 || !hasCids(font)) return glyph;
  const range = known.get(font)?.findLast(({ glyph: first }) => first <= glyph);
  return range && glyph < range.glyph + range.count ? range.cid + glyph - range.glyph : 0;
}

function readRanges(cff: Buffer): Range[] | undefined {
  const items = readDict(cff, readIndex(cff, readIndex(cff, cff.readUInt8(2)).end).item(0));
  if (!items.has(ROS)) return undefined;
  const glyphs = cff.readUInt16BE(items.get(CHAR_STRINGS)?.at(-1)?.value ?? 0);
  const charset = items.get(CHARSET)?.at(-1)?.value ?? 0;
  const format = cff.readUInt8(charset);
  const leftBytes = format === 0 ? 0 : format;
  const ranges: Range[] = [];
  for (let glyph = 1, at = charset + 1; glyph < glyphs; at += 2 + leftBytes) {
    const count = leftBytes === 0 ? 1 : cff.readUIntBE(at + 2, leftBytes) + 1;
    ranges.push({ glyph, cid: cff.readUInt16BE(at), count });
    glyph += count;
  }
  return ranges;
}
