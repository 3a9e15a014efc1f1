import type { TextFonts } from '@scriptorium/pdf/text-fonts';
import { SignatureError } from '../../signature-error.ts';

export interface TextLayout {
  size: number;
  lines: string[];
}

const SIZES = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3];
const TEXT_CHARACTERS_MAX = 4_000;
export const LINE_HEIGHT = 1.2;

/** Splits a line that is too long: between words, or within a word that is too long by itself. */
function wrap(text: string, fonts: TextFonts, size: number, width: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split(/\r\n|[\r\n]/)) {
    let line = '';
    for (const word of paragraph.split(/(?<=\s)/)) {
      if (line !== '' && isWider((line + word).trimEnd(), fonts, size, width)) {
        lines.push(line.trimEnd());
        line = '';
      }
      line += word;
      while (isWider(line.trimEnd(), fonts, size, width) && (line.length > 2 || [...line].length > 1)) {
        const fitting = fittingPart(line, fonts, size, width);
        lines.push(fitting);
        line = line.slice(fitting.length);
      }
    }
    lines.push(line.trimEnd());
  }
  return lines;
}

/** Whether a text is too wide; measures only as much of a long text as needed. */
function isWider(text: string, fonts: TextFonts, size: number, width: number): boolean {
  for (let length = 32; length < text.length; length *= 4) {
    const beginning = text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
    if (fonts.width(beginning, size) > width) return true;
  }
  return fonts.width(text, size) > width;
}

/** Returns the longest prefix that fits, of at least one character. */
function fittingPart(line: string, fonts: TextFonts, size: number, width: number): string {
  let fitting = '';
  let taken = 0;
  for (const character of line) {
    taken += fonts.width(character, size);
    if (fitting !== '' && taken > width) break;
    fitting += character;
  }
  return fitting;
}

/** Throws VALIDATION_ERROR for a text that can never fit. */
function refuseLongText(text: string): void {
  if (text.length <= TEXT_CHARACTERS_MAX) return;
  throw new SignatureError('VALIDATION_ERROR', 'The text of the signature is too long.', {
    details: [{ field: 'appearance.text', issue: `It has more than ${TEXT_CHARACTERS_MAX} characters.` }],
  });
}

/** Lays out the text at the largest size that fits all of it; at the smallest size cuts it with an ellipsis. */
export function layOut(text: string, fonts: TextFonts, width: number, height: number): TextLayout {
  refuseLongText(text);
  for (const size of SIZES) {
    const lines = wrap(text, fonts, size, width);
    if (lines.length * size * LINE_HEIGHT <= height) return { size, lines };
  }
  const size = SIZES.at(-1) ?? 3;
  const room = Math.max(1, Math.floor(height / (size * LINE_HEIGHT)));
  const lines = wrap(text, fonts, size, width).slice(0, room);
  lines[room - 1] = `${(lines[room - 1] ?? '').slice(0, -1)}…`;
  return { size, lines };
}
