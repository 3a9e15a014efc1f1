import { clusters } from './shown-text.ts';

export type Face = 'regular' | 'bold' | 'mono';

export interface Style {
  face: Face;
  /** Points. */
  size: number;
  /** 0 is black, 1 white. */
  gray: number;
}

/** Points that a text takes in a line. */
export type Measure = (text: string, style: Style) => number;

export interface PageSize {
  /** Points. */
  width: number;
  height: number;
}

/** A text whose baseline begins at `x`, `y`; points from the upper left corner of the page. */
export interface PlacedText {
  x: number;
  y: number;
  text: string;
  style: Style;
}

/** A filled rectangle; `x`, `y` is its upper left corner. */
export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
  gray: number;
}

export interface Page {
  texts: PlacedText[];
  bars: Bar[];
}

const LINE_SPACING = 1.35;
const ASCENT = 0.95;

/** Where lines may break: at blanks, at ideographs and kana, and behind the marks inside addresses and names of software. */
const TOKENS =
  /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{M}*[、。，．！？：；」』）]*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[^\s\-/_,;&=@?])+[-/_,;&=@?]*|[-/_,;&=@?]+/gu;

export const lineHeight = ({ size }: Style): number => size * LINE_SPACING;

/** Lines no wider than `width`, at most `linesMax` of them: the last one then ends in an ellipsis. */
export function wrap(
  text: string,
  style: Style,
  width: number,
  measure: Measure,
  linesMax = 1_000,
): string[] {
  const lines: string[] = [];
  let line = '';
  let lineWidth = 0;
  for (const token of text.match(TOKENS) ?? []) {
    if (lines.length > linesMax) break;
    const tokenWidth = measure(token, style);
    if (lineWidth + tokenWidth <= width || token.trim() === '') {
      line += token;
      lineWidth += tokenWidth;
      continue;
    }
    if (line.trim() !== '') lines.push(line.trimEnd());
    const pieces = split(token, style, width, measure);
    line = pieces.pop() ?? '';
    lineWidth = measure(line, style);
    lines.push(...pieces);
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  if (lines.length <= linesMax) return lines;
  const last = clusters(lines[linesMax - 1] ?? '');
  while (last.length > 0 && measure(`${last.join('')}…`, style) > width) last.pop();
  return [...lines.slice(0, linesMax - 1), `${last.join('').trimEnd()}…`];
}

/** A word wider than the line, in as many pieces as it takes; the last one may be the start of a line. */
function split(word: string, style: Style, width: number, measure: Measure): string[] {
  if (measure(word, style) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  let pieceWidth = 0;
  const parts = clusters(word).flatMap((cluster) =>
    measure(cluster, style) > width ? Array.from(cluster) : [cluster],
  );
  for (const part of parts) {
    const partWidth = measure(part, style);
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

export interface Margins {
  top: number;
  bottom: number;
  /** Left and right. */
  side: number;
}

/** Pages that are filled from top to bottom. */
export class Sheet {
  readonly pages: Page[] = [];
  readonly measure: Measure;
  readonly left: number;
  readonly width: number;
  /** Where the next thing begins, points from the top. */
  y = 0;
  /** Draws what every page but the first begins with, such as the head of a table that goes on. */
  onNewPage: (() => void) | undefined;
  readonly #size: PageSize;
  readonly #margins: Margins;

  constructor(size: PageSize, margins: Margins, measure: Measure) {
    this.#size = size;
    this.#margins = margins;
    this.measure = measure;
    this.left = margins.side;
    this.width = size.width - 2 * margins.side;
    this.#addPage();
  }

  get page(): Page {
    const page = this.pages.at(-1);
    if (!page) throw new Error('A sheet has a page from the start.');
    return page;
  }

  /** Goes to a new page where less than `height` points are left on this one. */
  need(height: number): void {
    if (this.y + height <= this.#size.height - this.#margins.bottom) return;
    this.#addPage();
    this.onNewPage?.();
  }

  /** One line whose upper edge is `y`. */
  text(text: string, x: number, y: number, style: Style): void {
    this.page.texts.push({ x, y: y + style.size * ASCENT, text, style });
  }

  /** Lines below each other; the height that they take. */
  lines(lines: readonly string[], x: number, y: number, style: Style): number {
    for (const [index, line] of lines.entries()) this.text(line, x, y + index * lineHeight(style), style);
    return lines.length * lineHeight(style);
  }

  /** A line across the sheet at the current place. */
  rule(thickness: number, gray: number): void {
    this.page.bars.push({ x: this.left, y: this.y, width: this.width, height: thickness, gray });
  }

  #addPage(): void {
    this.pages.push({ texts: [], bars: [] });
    this.y = this.#margins.top;
  }
}
