import { graphemesOf, wrapText } from '@scriptorium/fonts/wrap-text';
import type { TextFonts } from '@scriptorium/pdf/text-fonts';
import { SignatureError } from '../../signature-error.ts';

export interface TextLayout {
  size: number;
  lines: string[];
}

const SIZES = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3];
const TEXT_CHARACTERS_MAX = 4_000;
export const LINE_HEIGHT = 1.2;

/** Splits lines that are too long. Empty lines stay. */
function wrap(text: string, fonts: TextFonts, size: number, width: number): string[] {
  const measure = (part: string): number => fonts.width(part, size);
  return text.split(/\r\n|[\r\n]/).flatMap((paragraph) => {
    const lines = wrapText(paragraph, width, measure, TEXT_CHARACTERS_MAX);
    return lines.length === 0 ? [''] : lines;
  });
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
  lines[room - 1] = `${graphemesOf(lines[room - 1] ?? '')
    .slice(0, -1)
    .join('')}…`;
  return { size, lines };
}
