import { type DictItem, dictItem, type Index, readDict, readIndex, writeIndex } from './cff-structures.ts';
import { SubroutineCalls } from './cff-subroutines.ts';
import type { Sfnt } from './sfnt.ts';

/** Operators of Top, Font and Private DICTs (Adobe Technical Note 5176, appendix). */
const CHARSET = 15;
const CHAR_STRINGS = 17;
const PRIVATE = 18;
const SUBRS = 19;
const FONT_MATRIX = 0x0c07;
const ROS = 0x0c1e;
const CID_COUNT = 0x0c22;
const FD_ARRAY = 0x0c24;
const FD_SELECT = 0x0c25;
const HEADER = Buffer.from([1, 0, 4, 4]);
const RETURN = Buffer.from([11]);
/** The first strings beyond the standard ones. */
const FIRST_SID = 391;

interface Part {
  matrix: Buffer;
  privateDict: Buffer;
  subrs: Index | undefined;
  /** The subroutines that are needed. */
  called: Set<number>;
}

/**
 * A CFF font with the given glyphs of a font, for embedding in PDF as CIDFontType0C (ISO 32000-2, 9.9). The first glyph
 * must be 0. CIDs are the positions in `glyphs`. Subroutines that the glyphs do not call are empty.
 */
export function cffSubset(font: Sfnt, glyphs: readonly number[]): Buffer {
  const cff = font.table('CFF ');
  const names = readIndex(cff, cff.readUInt8(2));
  const tops = readIndex(cff, names.end);
  const strings = readIndex(cff, tops.end);
  const globals = readIndex(cff, strings.end);
  const top = readDict(tops.item(0));
  const charStrings = readIndex(cff, operand(top, CHAR_STRINGS));
  const { parts, partOf } = readParts(cff, top, glyphs);
  const calls = new SubroutineCalls(globals);
  const outlines = glyphs.map((glyph) => charStrings.item(glyph));
  for (const [index, outline] of outlines.entries()) {
    const part = parts[partOf[index] ?? 0];
    if (part) calls.follow(outline, part.subrs, part.called);
  }
  return assemble({
    name: writeIndex([names.item(0)]),
    matrix: bytesOf(top, FONT_MATRIX),
    globals: calledOf(globals, calls.globals),
    charStrings: writeIndex(outlines),
    select: Buffer.from([0, ...partOf]),
    parts,
    count: glyphs.length,
  });
}

/**
 * An INDEX of subroutines with the same numbers, without the data of those that are not called. Its data must not be
 * empty, because FreeType rejects such a font.
 */
function calledOf(index: Index, called: ReadonlySet<number>): Buffer {
  const empty = Buffer.alloc(0);
  const items = Array.from({ length: index.count }, (_, item) =>
    called.has(item) ? index.item(item) : empty,
  );
  if (called.size === 0 && items.length > 0) items[0] = RETURN;
  return writeIndex(items);
}

function operand(dict: readonly DictItem[], operator: number): number {
  const value = dict.find((item) => item.operator === operator)?.operands[0];
  if (value === undefined) throw new Error(`A CFF font lacks operator ${operator}.`);
  return value;
}

function bytesOf(dict: readonly DictItem[], operator: number): Buffer {
  return dict.find((item) => item.operator === operator)?.bytes ?? Buffer.alloc(0);
}

/** The Font DICTs that the glyphs need, and the one of each glyph. A font without CIDs is one such part. */
function readParts(
  cff: Buffer,
  top: DictItem[],
  glyphs: readonly number[],
): { parts: Part[]; partOf: number[] } {
  if (!top.some(({ operator }) => operator === ROS)) {
    return { parts: [readPart(cff, top, false)], partOf: glyphs.map(() => 0) };
  }
  const array = readIndex(cff, operand(top, FD_ARRAY));
  const select = readSelect(cff, operand(top, FD_SELECT));
  const used = [...new Set(glyphs.map(select))];
  const parts = used.map((index) => readPart(cff, readDict(array.item(index)), true));
  return { parts, partOf: glyphs.map((glyph) => used.indexOf(select(glyph))) };
}

function readPart(cff: Buffer, dict: DictItem[], hasOwnMatrix: boolean): Part {
  const [size = 0, offset = 0] = dict.find(({ operator }) => operator === PRIVATE)?.operands ?? [];
  const items = readDict(cff.subarray(offset, offset + size));
  const subrsOffset = items.find(({ operator }) => operator === SUBRS)?.operands[0];
  return {
    matrix: hasOwnMatrix ? bytesOf(dict, FONT_MATRIX) : Buffer.alloc(0),
    privateDict: Buffer.concat(items.filter(({ operator }) => operator !== SUBRS).map(({ bytes }) => bytes)),
    subrs: subrsOffset === undefined ? undefined : readIndex(cff, offset + subrsOffset),
    called: new Set(),
  };
}

/** Returns the Font DICT index of a glyph (Technical Note 5176, 19). */
function readSelect(cff: Buffer, start: number): (glyph: number) => number {
  const format = cff.readUInt8(start);
  if (format === 0) return (glyph) => cff.readUInt8(start + 1 + glyph);
  if (format !== 3) throw new Error('A CFF font has an FDSelect of an unknown format.');
  const count = cff.readUInt16BE(start + 1);
  return (glyph) => {
    let range = 0;
    while (range + 1 < count && cff.readUInt16BE(start + 3 + 3 * (range + 1)) <= glyph) range++;
    return cff.readUInt8(start + 3 + 3 * range + 2);
  };
}

interface Pieces {
  name: Buffer;
  matrix: Buffer;
  globals: Buffer;
  charStrings: Buffer;
  select: Buffer;
  parts: Part[];
  count: number;
}

function assemble(pieces: Pieces): Buffer {
  const strings = writeIndex([Buffer.from('Adobe'), Buffer.from('Identity')]);
  // All offsets have the same length, so a Top DICT of zeros gives the start of the rest.
  const topOf = (charset: number, select: number, charStrings: number, array: number): Buffer =>
    writeIndex([
      Buffer.concat([
        dictItem(ROS, FIRST_SID, FIRST_SID + 1, 0),
        pieces.matrix,
        dictItem(CID_COUNT, pieces.count),
        dictItem(CHARSET, charset),
        dictItem(FD_SELECT, select),
        dictItem(CHAR_STRINGS, charStrings),
        dictItem(FD_ARRAY, array),
      ]),
    ]);
  const charset = rangeCharset(pieces.count);
  const charsetAt =
    HEADER.length + pieces.name.length + topOf(0, 0, 0, 0).length + strings.length + pieces.globals.length;
  const selectAt = charsetAt + charset.length;
  const charStringsAt = selectAt + pieces.select.length;
  const arrayAt = charStringsAt + pieces.charStrings.length;
  return Buffer.concat([
    HEADER,
    pieces.name,
    topOf(charsetAt, selectAt, charStringsAt, arrayAt),
    strings,
    pieces.globals,
    charset,
    pieces.select,
    pieces.charStrings,
    ...writeParts(pieces.parts, arrayAt),
  ]);
}

/** CIDs from 1 for the glyphs after the first one (format 2). */
function rangeCharset(count: number): Buffer {
  const charset = Buffer.alloc(5);
  charset.writeUInt8(2, 0);
  charset.writeUInt16BE(1, 1);
  charset.writeUInt16BE(Math.max(count - 2, 0), 3);
  return count > 1 ? charset : charset.subarray(0, 1);
}

function writeParts(parts: readonly Part[], arrayAt: number): Buffer[] {
  const bodies = parts.map(({ privateDict, subrs, called }) => {
    if (!subrs) return { size: privateDict.length, body: privateDict };
    const size = privateDict.length + dictItem(SUBRS, 0).length;
    return { size, body: Buffer.concat([privateDict, dictItem(SUBRS, size), calledOf(subrs, called)]) };
  });
  const arrayOf = (start: number): Buffer => {
    let offset = start;
    return writeIndex(
      parts.map(({ matrix }, index) => {
        const { size = 0, body = Buffer.alloc(0) } = bodies[index] ?? {};
        const dict = Buffer.concat([matrix, dictItem(PRIVATE, size, offset)]);
        offset += body.length;
        return dict;
      }),
    );
  };
  return [arrayOf(arrayAt + arrayOf(0).length), ...bodies.map(({ body }) => body)];
}
