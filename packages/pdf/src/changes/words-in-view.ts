import type { Box } from '../read/pages.ts';
import { type Color, WHITE } from './colors.ts';
import { numberAt, type State } from './drawing-state.ts';
import { heightOf, type Matrix, transformed } from './matrix.ts';
import type { Operation } from './tokens.ts';

const CONTRAST_MIN = 0.15;
const OPACITY_MIN = 0.3;
/** Share of the width and height of a string. Some widths are guesses. */
const SHARE_MIN = 0.6;
/** In em: less than a letter. */
const CUT_MAX = 0.3;
/** Share of the width of a string before the next string may begin. */
const ADVANCE_MIN = 0.25;
/** Share of the box of a look for a frame, a background or a line. A smaller shape may be read as a letter. */
const FRAME_SHARE_MIN = 0.5;
/** In points; borders are hardly wider. */
const LINE_MAX = 6;
const COMB_SHARE_MIN = 0.9;
const COMB_WIDTH_MAX = 2;
/** Rendering modes that fill letters, with or without an outline (ISO 32000-2, table 104). */
const FILLING: ReadonlySet<number> = new Set([0, 2]);
const CURVES: ReadonlySet<string> = new Set(['c', 'v', 'y']);
const FILLS: ReadonlySet<string> = new Set(['f', 'F', 'f*', 'B', 'B*', 'b', 'b*']);
const STROKES: ReadonlySet<string> = new Set(['S', 's']);

export const shared = (a: Box, b: Box): Box => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
];

const around = (a: Box, b: Box): Box => [
  Math.min(a[0], b[0]),
  Math.min(a[1], b[1]),
  Math.max(a[2], b[2]),
  Math.max(a[3], b[3]),
];
const NOWHERE: Box = [
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

/**
 * Checks that the words of a field's look are visible and in order, and that nothing else in it could be read as a
 * letter.
 */
export class WordsInView {
  isPlain = true;
  /** Whether lines run out of the box at its foot. */
  runsOut = false;
  /** The smallest letter height. */
  em = Number.POSITIVE_INFINITY;
  readonly #box: Box;
  #ground: Color = WHITE;
  #last: { box: Box; em: number } | undefined;
  /** The boxes of the subpaths of the current path. */
  #parts: Box[] = [];
  #reach = NOWHERE;
  #isCurved = false;

  constructor(box: Box) {
    this.#box = box;
  }

  words(state: State, box: Box, matrix: Matrix, em: number): void {
    const placed = transformed(box, matrix);
    this.em = Math.min(this.em, em);
    const isUpright = matrix[0] > 0 && matrix[3] > 0 && Math.abs(matrix[1]) < matrix[0] / 10;
    const isForward = state.size > 0 && state.scale > 0 && state.characterSpace > -state.size / 2;
    const isPainted = FILLING.has(state.mode) && state.opacity >= OPACITY_MIN && !state.isVeiled;
    if (!isUpright || !isForward || !isPainted || !this.#stands(state.fill)) this.isPlain = false;
    const cutMax = state.font.isMeasured ? em * CUT_MAX : (placed[2] - placed[0]) * (1 - SHARE_MIN);
    if (!this.#fits(placed, shared(state.clip, this.#box), cutMax) || !this.#follows(placed, em))
      this.isPlain = false;
    this.#last = { box: placed, em };
  }

  #stands(color: Color): boolean {
    const ground = this.#ground;
    if (!color || !ground) return false;
    return color.some((part, index) => Math.abs(part - (ground[index] ?? 0)) > CONTRAST_MIN);
  }

  #fits(placed: Box, view: Box, cutMax: number): boolean {
    if (placed[3] <= view[1] + (placed[3] - placed[1]) * SHARE_MIN) this.runsOut = true;
    const [left, bottom, right, top] = shared(placed, view);
    const isWide = right - left >= placed[2] - placed[0] - cutMax;
    const isHigh = top - bottom >= (placed[3] - placed[1]) * SHARE_MIN;
    return isWide && (isHigh || this.runsOut);
  }

  #follows([left, bottom]: Box, em: number): boolean {
    if (!this.#last) return true;
    const { box, em: size } = this.#last;
    if (Math.abs(bottom - box[1]) > Math.max(em, size) * SHARE_MIN) return bottom < box[1];
    return left >= box[0] + (box[2] - box[0]) * ADVANCE_MIN;
  }

  /** Records content that is not made of lines, such as an image. */
  picture(): void {
    this.isPlain = false;
  }

  /** Follows every operator. */
  follow({ operator, operands }: Operation, state: State): void {
    const [x, y, width, height] = [0, 1, 2, 3].map((index) => numberAt(operands, index)) as [
      number,
      number,
      number,
      number,
    ];
    const placed = (right: number, top: number) => transformed([x, y, right, top], state.ctm);
    if (operator === 'm') this.#add(placed(x, y));
    else if (operator === 'l') this.#add(around(this.#parts.pop() ?? NOWHERE, placed(x, y)));
    else if (operator === 're') this.#add(placed(x + width, y + height));
    else if (CURVES.has(operator)) this.#isCurved = true;
    else if (operator === 'W' || operator === 'W*') state.clip = shared(state.clip, this.#reach);
    else if (FILLS.has(operator) || STROKES.has(operator)) this.#end(operator, state);
    else if (operator === 'n') this.#begin();
    else if (operator === 'BDC' && operands[0] !== 'Tx') this.isPlain = false;
  }

  #add(part: Box): void {
    this.#parts.push(part);
    this.#reach = around(this.#reach, part);
  }

  #end(operator: string, { ctm, fill, lineWidth }: State): void {
    const isFilled = FILLS.has(operator);
    const line = operator.toLowerCase().startsWith('f') ? 0 : lineWidth * heightOf(ctm);
    const [width, height] = [this.#box[2] - this.#box[0], this.#box[3] - this.#box[1]];
    for (const part of this.#parts) {
      const [left, bottom, right, top] = part;
      const isFrame = right - left >= width * FRAME_SHARE_MIN;
      const isComb = right - left <= COMB_WIDTH_MAX && top - bottom >= height * COMB_SHARE_MIN;
      if ((!isFrame && !isComb) || this.#crosses(part)) this.isPlain = false;
      if (isFilled && isFrame) this.#ground = fill;
    }
    // A curve counts as a letter, whatever it encloses.
    if (this.#isCurved || line > LINE_MAX || (isFilled && this.#last)) this.isPlain = false;
    this.#begin();
  }

  /** Whether a horizontal line crosses the last written string. */
  #crosses([, bottom, , top]: Box): boolean {
    const words = this.#last?.box;
    return words !== undefined && bottom > words[1] && top < words[3];
  }

  #begin(): void {
    this.#parts = [];
    this.#reach = NOWHERE;
    this.#isCurved = false;
  }
}
