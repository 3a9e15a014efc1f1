import { isKeywordAt, isSpace, readDigits, skipSpace } from '../read/characters.ts';

/** The end of a revision: `startxref`, an offset, `%%EOF` (ISO 32000-2, 7.5.5). */
export interface Tail {
  /** Position of `startxref`. */
  keyword: number;
  /** Position after `%%EOF`. */
  marker: number;
  /** Position after the line end that follows, if any. */
  end: number;
  /** Position after all white space that follows. */
  spaceEnd: number;
  /** The stated position of the section, counted from the header. */
  offset: number;
}

const OFFSET_DIGITS_MAX = 12;
const LINE_FEED = 10;
const RETURN = 13;
const PERCENT = 0x25;

/** Reads the tail directly after a cross-reference section that ends at `position`; undefined if there is none. */
export function readTail(bytes: Buffer, position: number): Tail | undefined {
  let keyword = skipSpace(bytes, position);
  if (isKeywordAt(bytes, 'endobj', keyword)) keyword = skipSpace(bytes, keyword + 6);
  if (!isKeywordAt(bytes, 'startxref', keyword)) return undefined;
  const offset = readDigits(bytes, skipSpace(bytes, keyword + 9), OFFSET_DIGITS_MAX);
  const marker = offset && endMarker(bytes, offset.end);
  if (!offset || marker === undefined) return undefined;
  return {
    keyword,
    marker,
    end: lineEnd(bytes, marker),
    spaceEnd: spaceEnd(bytes, marker),
    offset: offset.value,
  };
}

/** Returns the position after `%%EOF`, if only white space and other comments precede it. */
function endMarker(bytes: Buffer, position: number): number | undefined {
  let at = spaceEnd(bytes, position);
  while (bytes[at] === PERCENT) {
    if (bytes.toString('latin1', at, at + 5) === '%%EOF') return at + 5;
    while (at < bytes.length && bytes[at] !== LINE_FEED && bytes[at] !== RETURN) at++;
    at = spaceEnd(bytes, at);
  }
  return undefined;
}

function lineEnd(bytes: Buffer, position: number): number {
  if (bytes[position] === RETURN) return position + (bytes[position + 1] === LINE_FEED ? 2 : 1);
  return bytes[position] === LINE_FEED ? position + 1 : position;
}

/** Zeros do not count, because no writer uses them as line ends. */
function spaceEnd(bytes: Buffer, position: number): number {
  let at = position;
  while (isSpace(bytes[at]) && bytes[at] !== 0) at++;
  return at;
}
