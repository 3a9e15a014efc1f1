import type { Box } from '../read/pages.ts';
import { numberAt } from './drawing-state.ts';
import { type Matrix, transformed } from './matrix.ts';
import type { Operand } from './tokens.ts';

/** In points; the maximum size of a letter or pen stroke that is drawn as a path. */
const LETTER_MAX = 24;
/** A path with more segments is a line of letters or a signature. A box with round corners has eight. */
const SEGMENTS_MIN = 20;
/** In points. A headline letter has more segments than a box with round corners, or it has holes. */
const HEADLINE_MAX = 144;
const HEADLINE_SEGMENTS_MIN = 10;
/** In points. A bar of a bar code is thin, and longer than a QR square. */
const PIECE_MAX = 90;
const PIECE_WIDTH_MAX = 24;
const PIECES_MAX = 20_000;
/** In points. A higher path is an ornament, a map or a page frame, which people sign over. */
const LINE_MAX = 72;

/** The number of operands that are path coordinates (ISO 32000-2, table 58). */
const POINTS: Record<string, number> = { m: 2, l: 2, c: 6, v: 4, y: 4 };

/** In points. One outline is kept per square of this size, because maps have hundreds of thousands. */
const OUTLINE_GRID = 6;
/** In points; squares of codes are hardly smaller. */
const PIECE_GRID = 2;
const PIECES_KEPT_MAX = 20_000;

/** The outlines of a page. One outline is kept per square in which outlines begin. */
export class KeptOutlines {
  readonly #squares = new Set<string>();

  /** Returns the marks of a finished outline: itself if it may be letters, otherwise its small parts. */
  kept(outline: Outline, ctm: Matrix): { kind: 'outline' | 'piece'; box: Box }[] {
    const box = outline.placed(ctm);
    if (box) return this.#isFirst('outline', box, OUTLINE_GRID) ? [{ kind: 'outline', box }] : [];
    if (this.#squares.size > PIECES_KEPT_MAX) return [];
    const pieces = outline.pieces(ctm).filter((piece) => this.#isFirst('piece', piece, PIECE_GRID));
    return pieces.map((piece) => ({ kind: 'piece', box: piece }));
  }

  #isFirst(kind: string, [left, bottom]: Box, grid: number): boolean {
    const square = `${kind} ${Math.floor(left / grid)} ${Math.floor(bottom / grid)}`;
    return !this.#squares.has(square) && this.#squares.add(square) !== undefined;
  }
}

class Bounds {
  box: Box = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ];

  reach(x: number, y: number): void {
    const [left, bottom, right, top] = this.box;
    this.box = [Math.min(left, x), Math.min(bottom, y), Math.max(right, x), Math.max(top, y)];
  }
}

/** The current path: its bounds and its segments. */
export class Outline {
  readonly #bounds = new Bounds();
  #segments = 0;
  #curves = 0;
  /** The boxes of its closed subpaths, before transformation. */
  readonly #pieces: Bounds[] = [];

  /** Adds a path construction operator. Ignores other operators. */
  add(operator: string, operands: readonly Operand[]): void {
    if (operator === 'm' || operator === 're') {
      if (this.#pieces.length < PIECES_MAX) this.#pieces.push(new Bounds());
    }
    if (operator === 're') {
      const [x, y] = [numberAt(operands, 0), numberAt(operands, 1)];
      this.#pieces.at(-1)?.reach(x, y);
      this.#pieces.at(-1)?.reach(x + numberAt(operands, 2), y + numberAt(operands, 3));
      return;
    }
    const count = POINTS[operator];
    if (count === undefined) return;
    for (let at = 0; at + 1 < count; at += 2) this.#reach(numberAt(operands, at), numberAt(operands, at + 1));
    if (operator !== 'm') this.#segments++;
    if (count > 2) this.#curves++;
  }

  #reach(x: number, y: number): void {
    this.#bounds.reach(x, y);
    this.#pieces.at(-1)?.reach(x, y);
  }

  /** The boxes of the small parts on the page: squares and bars of codes, strokes of drawings. */
  pieces(ctm: Matrix): Box[] {
    return this.#pieces
      .map(({ box }) => transformed(box, ctm))
      .filter(([left, bottom, right, top]) => {
        const [width, height] = [right - left, top - bottom];
        return Math.max(width, height) <= PIECE_MAX && Math.min(width, height) <= PIECE_WIDTH_MAX;
      });
  }

  /**
   * The box of the path on the page, if it may be letters or a signature rather than a box or a rule. Such a path has
   * curves, and is small or a line of many parts.
   */
  placed(ctm: Matrix): Box | undefined {
    if (this.#curves === 0) return undefined;
    const box = transformed(this.#bounds.box, ctm);
    const [width, height] = [box[2] - box[0], box[3] - box[1]];
    const isLetter = Math.max(width, height) <= LETTER_MAX;
    const isHeadline =
      Math.max(width, height) <= HEADLINE_MAX &&
      (this.#segments >= HEADLINE_SEGMENTS_MIN || this.#pieces.length > 1);
    const isLine = this.#segments >= SEGMENTS_MIN && Math.min(width, height) <= LINE_MAX;
    return isLetter || isHeadline || isLine ? box : undefined;
  }
}
