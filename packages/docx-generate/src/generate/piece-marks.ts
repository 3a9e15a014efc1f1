/**
 * Marks in the text of a row, beside those of its places: characters of private use that no template and no data has.
 * A block is a loop or a condition. Its pieces are the copies of a loop, or the content of a branch.
 */
export const MARKS = {
  block: '\u{F5C2}',
  blockEnd: '\u{F5C3}',
  piece: '\u{F5C4}',
  /** Ends the key of a piece. */
  key: '\u{F5C5}',
  pieceEnd: '\u{F5C6}',
  id: '\u{F5C7}',
  idEnd: '\u{F5C8}',
} as const;

/** Ends the text of a fragment that a table ends behind. No XML has this character. */
export const TABLE_ENDS = '\u{1}';

/** Every mark, with those of places (`placeText` of packages/contracts/src/jobs/rows.ts). */
export const ANY_MARK = /[\u{F5C0}-\u{F5C8}]/gu;
/** The same as references in XML. */
export const MARK_REFERENCE = /&#(?:x0*f5c[0-8]|0*629(?:1[2-9]|20));/i;
/** An identifier that differs in each copy: its kind, the copy, and its value in the template. */
export const ID_MARK = /\u{F5C7}([a-z]+):([^:\u{F5C7}]*):([^\u{F5C7}\u{F5C8}]*)\u{F5C8}/gu;
const PIECE_MARK = /\u{F5C4}[^\u{F5C4}\u{F5C5}]*\u{F5C5}|[\u{F5C2}\u{F5C3}\u{F5C6}]/gu;

/** The text without the marks of blocks and pieces. */
export const withoutPieceMarks = (text: string): string => text.replace(PIECE_MARK, '');
