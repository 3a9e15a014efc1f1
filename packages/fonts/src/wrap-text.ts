import { breakUnspaced } from './line-breaks.ts';
import { directionMark } from './text-line.ts';

/** Lines may break at spaces, at ideographs and kana, and after punctuation inside addresses and software names. */
const TOKENS =
  /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{M}*[、。，．！？：；」』）]*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[^\s\-/_,;&=@?])+[-/_,;&=@?]*|[-/_,;&=@?]+/gu;
const ASCII = /^[ -~]*$/;

/** Returns the width of a text on one line. */
type Measure = (text: string) => number;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Splits a text into user-perceived characters, each with its marks.
 *
 * @example
 * graphemesOf('e\u0301a') // ['e\u0301', 'a']
 */
export function graphemesOf(text: string): string[] {
  if (ASCII.test(text)) return text.split('');
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/**
 * Wraps a paragraph into at most `linesMax` lines no wider than `width`. If text is left, the last line ends in an ellipsis.
 * Lines have the direction of the paragraph, by an invisible mark at their start.
 *
 * @example
 * wrapText('one two three', 8, (text) => text.length) // ['one two', 'three']
 */
export function wrapText(text: string, width: number, measure: Measure, linesMax = 1_000): string[] {
  const [first = '', ...more] = wrapped(text, width, measure, linesMax);
  if (first === '') return [];
  const mark = more.length === 0 ? '' : directionMark(text);
  return [first, ...more.map((line) => mark + line)];
}

function wrapped(text: string, width: number, measure: Measure, linesMax: number): string[] {
  const lines: string[] = [];
  let line = '';
  let lineWidth = 0;
  for (const token of (text.match(TOKENS) ?? []).flatMap(breakUnspaced)) {
    if (lines.length > linesMax) break;
    const tokenWidth = measure(token);
    if (lineWidth + tokenWidth <= width || token.trim() === '') {
      line += token;
      lineWidth += tokenWidth;
      continue;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    const pieces = split(token, width, measure);
    line = pieces.pop() ?? '';
    lineWidth = measure(line);
    lines.push(...pieces);
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines.length <= linesMax ? lines : cut(lines, linesMax, width, measure);
}

function cut(lines: readonly string[], linesMax: number, width: number, measure: Measure): string[] {
  const last = graphemesOf(lines[linesMax - 1] ?? '');
  while (last.length > 0 && measure(`${last.join('')}…`) > width) last.pop();
  return [...lines.slice(0, linesMax - 1), `${last.join('').trimEnd()}…`];
}

/** Splits a word that is wider than the line. The last piece may be the start of a line. */
function split(word: string, width: number, measure: Measure): string[] {
  if (measure(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let pieceWidth = 0;
  const parts = graphemesOf(word).flatMap((grapheme) =>
    measure(grapheme) > width ? Array.from(grapheme) : [grapheme],
  );
  for (const part of parts) {
    const partWidth = measure(part);
    if (piece !== '' && pieceWidth + partWidth > width) {
      pieces.push(piece);
      piece = '';
      pieceWidth = 0;
    }
    piece += part;
    pieceWidth += partWidth;
  }
  return [...pieces, piece];
}
