import type { Sfnt } from './sfnt.ts';

const COMPOSITE_WORDS = 0x0001;
const COMPOSITE_SCALE = 0x0008;
const COMPOSITE_MORE = 0x0020;
const COMPOSITE_SCALES = 0x0040;
const COMPOSITE_MATRIX = 0x0080;
const COMPOSITE_INSTRUCTIONS = 0x0100;
/** Bounds fonts with recursive composite glyphs. */
const GLYPHS_MAX = 65_535;

/**
 * A TrueType file with the given glyphs of a font, for embedding in PDF as CIDFontType2 (ISO 32000-2, 9.9), without
 * instructions. The first glyph must be 0. Glyphs are numbered in this order; their components follow.
 */
export function trueTypeSubset(font: Sfnt, glyphs: readonly number[]): Buffer {
  const order = [...glyphs];
  const numbers = new Map(order.map((glyph, index) => [glyph, index]));
  const numberOf = (glyph: number): number => {
    const known = numbers.get(glyph);
    if (known !== undefined) return known;
    if (order.length === GLYPHS_MAX) throw new Error(`${font.source.path}: a glyph has too many parts`);
    numbers.set(glyph, order.length);
    return order.push(glyph) - 1;
  };
  const outlines: Buffer[] = [];
  // The loop appends components.
  for (let index = 0; index < order.length; index++) {
    outlines.push(outline(font, order[index] ?? 0, numberOf));
  }
  return file(tablesOf(font, order, outlines));
}

function outline(font: Sfnt, glyph: number, numberOf: (glyph: number) => number): Buffer {
  const places = font.table('loca');
  const isLong = font.table('head').readInt16BE(50) === 1;
  const at = (index: number): number =>
    isLong ? places.readUInt32BE(4 * index) : 2 * places.readUInt16BE(2 * index);
  const bytes = Buffer.from(font.table('glyf').subarray(at(glyph), at(glyph + 1)));
  if (bytes.length === 0) return bytes;
  return bytes.readInt16BE(0) < 0 ? composite(bytes, numberOf) : simple(bytes);
}

function simple(bytes: Buffer): Buffer {
  const lengthAt = 10 + 2 * bytes.readInt16BE(0);
  const length = bytes.readUInt16BE(lengthAt);
  const head = Buffer.from(bytes.subarray(0, lengthAt + 2));
  head.writeUInt16BE(0, lengthAt);
  return padded(Buffer.concat([head, bytes.subarray(lengthAt + 2 + length)]), 4);
}

function composite(bytes: Buffer, numberOf: (glyph: number) => number): Buffer {
  let at = 10;
  for (;;) {
    const flags = bytes.readUInt16BE(at);
    bytes.writeUInt16BE(flags & ~COMPOSITE_INSTRUCTIONS, at);
    bytes.writeUInt16BE(numberOf(bytes.readUInt16BE(at + 2)), at + 2);
    at += 4 + (flags & COMPOSITE_WORDS ? 4 : 2);
    if (flags & COMPOSITE_SCALE) at += 2;
    else if (flags & COMPOSITE_SCALES) at += 4;
    else if (flags & COMPOSITE_MATRIX) at += 8;
    if (!(flags & COMPOSITE_MORE)) return padded(bytes.subarray(0, at), 4);
  }
}

function tablesOf(font: Sfnt, order: readonly number[], outlines: readonly Buffer[]): [string, Buffer][] {
  const head = Buffer.from(font.table('head'));
  head.writeUInt32BE(0, 8);
  head.writeInt16BE(1, 50);
  const lines = Buffer.from(font.table('hhea'));
  lines.writeUInt16BE(order.length, 34);
  const counts = Buffer.from(font.table('maxp'));
  counts.writeUInt16BE(order.length, 4);
  const places = Buffer.alloc(4 * (order.length + 1));
  const advances = Buffer.alloc(4 * order.length);
  let offset = 0;
  for (const [index, bytes] of outlines.entries()) {
    advances.writeUInt16BE(font.advance(order[index] ?? 0), 4 * index);
    advances.writeInt16BE(bytes.length === 0 ? 0 : bytes.readInt16BE(2), 4 * index + 2);
    offset += bytes.length;
    places.writeUInt32BE(offset, 4 * (index + 1));
  }
  return [
    ['glyf', Buffer.concat(outlines)],
    ['head', head],
    ['hhea', lines],
    ['hmtx', advances],
    ['loca', places],
    ['maxp', counts],
  ];
}

/** A font file of tables that are sorted by tag (ISO/IEC 14496-22, 4.5). */
function file(tables: readonly [string, Buffer][]): Buffer {
  const power = 2 ** Math.floor(Math.log2(tables.length));
  const head = Buffer.alloc(12 + 16 * tables.length);
  head.writeUInt32BE(0x00010000, 0);
  head.writeUInt16BE(tables.length, 4);
  head.writeUInt16BE(16 * power, 6);
  head.writeUInt16BE(Math.log2(power), 8);
  head.writeUInt16BE(16 * (tables.length - power), 10);
  const bodies: Buffer[] = [];
  let offset = head.length;
  for (const [index, [tag, table]] of tables.entries()) {
    const at = 12 + 16 * index;
    const body = padded(table, 4);
    head.write(tag, at, 'latin1');
    head.writeUInt32BE(checksum(body), at + 4);
    head.writeUInt32BE(offset, at + 8);
    head.writeUInt32BE(table.length, at + 12);
    offset += body.length;
    bodies.push(body);
  }
  return Buffer.concat([head, ...bodies]);
}

function padded(bytes: Buffer, unit: number): Buffer {
  const rest = bytes.length % unit;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(unit - rest)]);
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + bytes.readUInt32BE(at)) >>> 0;
  return sum;
}
