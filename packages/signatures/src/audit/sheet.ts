import { wrapText } from '@scriptorium/fonts/wrap-text';

export type Face = 'regular' | 'bold' | 'mono';

/** The color of text or of a bar. */
export interface Shade {
  /** 0 is black, 1 is white. */
  gray: number;
  /** Red, green and blue from 0 to 1, instead of `gray`. */
  color?: readonly [number, number, number];
}

export interface Style extends Shade {
  face: Face;
  /** In points. */
  size: number;
}

/** Returns the width of a text on one line, in points. */
export type Measure = (text: string, style: Style) => number;

export interface PageSize {
  /** In points. */
  width: number;
  height: number;
}

/** A text whose baseline starts at `x`, `y`; in points from the upper left corner of the page. */
export interface PlacedText {
  x: number;
  y: number;
  text: string;
  style: Style;
}

/** A filled rectangle; `x`, `y` is its upper left corner. */
interface Bar extends Shade {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** An image of the resources; `x`, `y` is its upper left corner. */
interface PlacedImage {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Page {
  texts: PlacedText[];
  bars: Bar[];
  images: PlacedImage[];
}

const LINE_SPACING = 1.35;
const ASCENT = 0.95;

export const lineHeight = ({ size }: Style): number => size * LINE_SPACING;

/** Wraps a text of one style, as `wrapText` does. */
export function wrap(
  text: string,
  style: Style,
  width: number,
  measure: Measure,
  linesMax?: number,
): string[] {
  return wrapText(text, width, (part) => measure(part, style), linesMax);
}

export interface Margins {
  top: number;
  bottom: number;
  /** Left and right margin. */
  side: number;
}

/** Fills pages from top to bottom. */
export class Sheet {
  readonly pages: Page[] = [];
  readonly measure: Measure;
  readonly left: number;
  readonly width: number;
  /** Position of the next item, in points from the top. */
  y = 0;
  /** Draws the start of every page but the first, such as a repeated table header. */
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
    if (!page) throw new Error('A sheet always has a page.');
    return page;
  }

  /** Starts a new page if fewer than `height` points are left on this one. */
  need(height: number): void {
    if (this.y + height <= this.#size.height - this.#margins.bottom) return;
    this.#addPage();
    this.onNewPage?.();
  }

  /** Draws one line whose upper edge is `y`. */
  text(text: string, x: number, y: number, style: Style): void {
    this.page.texts.push({ x, y: y + style.size * ASCENT, text, style });
  }

  /** Draws lines below each other and returns their height. */
  lines(lines: readonly string[], x: number, y: number, style: Style): number {
    for (const [index, line] of lines.entries()) this.text(line, x, y + index * lineHeight(style), style);
    return lines.length * lineHeight(style);
  }

  /** Draws a horizontal line across the sheet at the current position. */
  rule(thickness: number, gray: number): void {
    this.page.bars.push({ x: this.left, y: this.y, width: this.width, height: thickness, gray });
  }

  #addPage(): void {
    this.pages.push({ texts: [], bars: [], images: [] });
    this.y = this.#margins.top;
  }
}
