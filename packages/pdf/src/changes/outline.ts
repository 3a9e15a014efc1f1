import type { Box } from '../read/pages.ts';
import { numberAt } from './drawing-state.ts';
import { type Matrix, transformed } from './matrix.ts';
import type { Operand } from './tokens.ts';

/** Points; a letter, or a stroke of handwriting, that is drawn as a path. */
const LETTER_MAX = 24;
/** A path of more segments is a line of letters, or a signature: a box with round corners has eight. */
const SEGMENTS_MIN = 20;
/** Points; a letter of a headline is made of more than a box with round corners, or has holes. */
const HEADLINE_MAX = 144;
const HEADLINE_SEGMENTS_MIN = 10;
/** Points; a bar of a bar code is longer than a square of a QR code, and thin. */
const PIECE_MAX = 90;
const PIECE_WIDTH_MAX = 24;
const PIECES_MAX = 20_000;
/** Points; what is higher is an ornament, a map or a frame around the page, upon which people sign. */
const LINE_MAX = 72;

/** Numbers of an operator that are points of the path (ISO 32000-2, table 58). */
const POINTS: Record<string, number> = { m: 2, l: 2, c: 6, v: 4, y: 4 };

/** Points; of several outlines that begin in one square of this size one is kept: maps have hundreds of thousands. */
const OUTLINE_GRID = 6;
/** Points; squares of codes are hardly smaller. */
const PIECE_GRID = 2;
const PIECES_KEPT_MAX = 20_000;

/** The outlines of a page, of which one is kept of all that begin in the same square. */
export class KeptOutlines {
  readonly #squares = new Set<string>();

  /** What is kept of an outline that ends: itself if it may be letters, and otherwise its small parts. */
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

/** The path that is being made: how far it reaches, and of what it is. */
export class Outline {
  readonly #bounds = new Bounds();
  #segments = 0;
  #curves = 0;
  /** The boxes of its closed parts, before they are placed. */
  readonly #pieces: Bounds[] = [];

  /** Takes an operator that makes the path longer; others are of no account. */
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

  /** Where the small parts of the path are on the page: squares and bars of codes, strokes of drawings. */
  pieces(ctm: Matrix): Box[] {
    return this.#pieces
      .map(({ box }) => transformed(box, ctm))
      .filter(([left, bottom, right, top]) => {
        const [width, height] = [right - left, top - bottom];
        return Math.max(width, height) <= PIECE_MAX && Math.min(width, height) <= PIECE_WIDTH_MAX;
      });
  }

  /**
   * Where the path is on the page, if it may be letters or a signature rather than a box or a rule: it has curves, and is small or a line
   * of many parts.
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
