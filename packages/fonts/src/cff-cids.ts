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
 * The number by which a PDF calls a glyph of an embedded font (ISO 32000-2, 9.7.4.2): its CID, or its own number in a font
 * without CIDs.
 */
export function cidOf(font: Sfnt, glyph: number): number {
  if (glyph === 0 || !hasCids(font)) return glyph;
  const range = known.get(font)?.findLast(({ glyph: first }) => first <= glyph);
  return range && glyph < range.glyph + range.count ? range.cid + glyph - range.glyph : 0;
}

function readRanges(cff: Buffer): Range[] | undefined {
  const items = readDict(firstItem(cff, endOfIndex(cff, cff.readUInt8(2))));
  if (!items.has(ROS)) return undefined;
  const glyphs = cff.readUInt16BE(items.get(CHAR_STRINGS) ?? 0);
  const charset = items.get(CHARSET) ?? 0;
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

function firstItem(cff: Buffer, index: number): Buffer {
  const width = cff.readUInt8(index + 2);
  const data = index + 2 + (cff.readUInt16BE(index) + 1) * width;
  return cff.subarray(data + 1, data + cff.readUIntBE(index + 3 + width, width));
}

function endOfIndex(cff: Buffer, index: number): number {
  const count = cff.readUInt16BE(index);
  if (count === 0) return index + 2;
  const width = cff.readUInt8(index + 2);
  const data = index + 2 + (count + 1) * width;
  return data + cff.readUIntBE(index + 3 + count * width, width);
}

/** Returns the last integer operand of each operator. A two-byte operator has 12 in its upper byte. */
function readDict(bytes: Buffer): Map<number, number> {
  const items = new Map<number, number>();
  let operand = 0;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes.readUInt8(at);
    if (first <= 21) {
      items.set(first === 12 ? (12 << 8) | bytes.readUInt8(at + 1) : first, operand);
      at += first === 12 ? 2 : 1;
    } else {
      const { value, end } = readOperand(bytes, at, first);
      operand = value;
      at = end;
    }
  }
  return items;
}

/** Real numbers are read as 0. */
function readOperand(bytes: Buffer, at: number, first: number): { value: number; end: number } {
  if (first === 28) return { value: bytes.readInt16BE(at + 1), end: at + 3 };
  if (first === 29) return { value: bytes.readInt32BE(at + 1), end: at + 5 };
  if (first === 30) return { value: 0, end: endOfReal(bytes, at + 1) };
  if (first <= 246) return { value: first - 139, end: at + 1 };
  const second = bytes.readUInt8(at + 1);
  const value = first <= 250 ? (first - 247) * 256 + second + 108 : -(first - 251) * 256 - second - 108;
  return { value, end: at + 2 };
}

function endOfReal(bytes: Buffer, start: number): number {
  let at = start;
  while ((bytes.readUInt8(at) & 0x0f) !== 0x0f && bytes.readUInt8(at) >> 4 !== 0x0f) at++;
  return at + 1;
}
