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
/** In em: what the box of a line has above and below its letters. */
const SPARE = 0.2;
/** In em: what the box of a line has on both sides of its letters. */
const BEARING = 0.05;
/** Share of the width of a string before the next string may begin. */
const ADVANCE_MIN = 0.25;
/** Share of the box of a look for a frame, a background or a line. A smaller shape may be read as a letter. */
const FRAME_SHARE_MIN = 0.5;
/** In points; borders are hardly wider. */
const LINE_MAX = 6;
const COMB_SHARE_MIN = 0.9;
const COMB_WIDTH_MAX = 2;
/** Ratio of the width of letters to their height, as drawn to as designed. */
export const STRETCH_MIN = 0.3;
const STRETCH_MAX = 4;
/** Shares of the sides of the box for a frame that is nothing else, and of the shorter side for its line. */
const WHOLE_SHARE_MIN = 0.8;
const FRAME_LINE_SHARE_MAX = 0.15;
const LIGHT_MIN = 0.5;
const ROUNDING = 0.001;
const GROUNDS_MAX = 32;
/** The rendering mode that fills letters and draws their outlines. A broad one, in em, may hide them. */
const OUTLINED = 2;
const OUTLINE_MAX = 0.1;
/**
 * Operators of looks with their number of operands; undefined for any number. Readers differ in which of too many they use,
 * and in what they do at an unknown operator.
 */
const OPERANDS: ReadonlyMap<string, number | undefined> = new Map([
  ...[...'qQhnfFSsBb', 'f*', 'B*', 'b*', 'W', 'W*', 'BT', 'ET', 'T*', 'EMC'].map(
    (name) => [name, 0] as const,
  ),
  ...[...'wJjMigG', 'ri', 'gs', 'cs', 'CS', 'Do', 'Tj', "'", 'TJ', 'BMC'].map((name) => [name, 1] as const),
  ...['Tc', 'Tw', 'Tz', 'TL', 'Tr', 'Ts'].map((name) => [name, 1] as const),
  ...['m', 'l', 'd', 'Td', 'TD', 'Tf'].map((name) => [name, 2] as const),
  ...['rg', 'RG', '"'].map((name) => [name, 3] as const),
  ...['k', 'K', 're', 'v', 'y'].map((name) => [name, 4] as const),
  ...['c', 'cm', 'Tm'].map((name) => [name, 6] as const),
  ...['sc', 'SC', 'scn', 'SCN', 'BDC'].map((name) => [name, undefined] as const),
]);
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
const grown = ([left, bottom, right, top]: Box, wide: number, high: number): Box => [
  left - wide,
  bottom - high,
  right + wide,
  top + high,
];
const NOWHERE: Box = [
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
];

/** An area below words. */
interface Ground {
  box: Box;
  fill: Color;
  /** Whether it fills its box. */
  isWhole: boolean;
}

/** Whether a rectangle stays one with its sides along the axes. */
export const isSquare = ([a, b, c, d]: Matrix): boolean =>
  Math.max(Math.abs(b), Math.abs(c)) < ROUNDING || Math.max(Math.abs(a), Math.abs(d)) < ROUNDING;

/** Whether letters stand upright, neither slanted nor stretched beyond recognition. */
function isUpright([a, b, c, d]: Matrix, scale: number): boolean {
  const stretch = (a * scale) / d;
  const isTurned = Math.abs(b) >= a / 10 || Math.abs(c) > d / 2;
  return a > 0 && d > 0 && !isTurned && stretch >= STRETCH_MIN && stretch <= STRETCH_MAX;
}

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
  /** Whether areas and lines are at most a light ground and a frame of the box. */
  isBare = true;
  readonly #box: Box;
  readonly #grounds: Ground[] = [];
  #last: { box: Box; em: number } | undefined;
  /** The box of all words. */
  #written = NOWHERE;
  /** The boxes of the subpaths of the current path. */
  #parts: Box[] = [];
  #reach = NOWHERE;
  /** The corners of the current path. */
  #corners: [x: number, y: number][] = [];
  #isCurved = false;

  constructor(box: Box) {
    this.#box = box;
  }

  words(state: State, box: Box, matrix: Matrix, em: number): void {
    const placed = transformed(box, matrix);
    this.em = Math.min(this.em, em);
    const isForward = state.size > 0 && state.scale > 0 && state.characterSpace > -state.size / 4;
    const isPainted = FILLING.has(state.mode) && state.opacity >= OPACITY_MIN && !state.isVeiled;
    const isOutlined = state.mode === OUTLINED && state.lineWidth * heightOf(state.ctm) > em * OUTLINE_MAX;
    if (isOutlined || !this.#stands(state.fill, placed)) this.isPlain = false;
    if (!isUpright(matrix, state.scale) || !isForward || !isPainted) this.isPlain = false;
    const cutMax = state.font.isMeasured ? em * CUT_MAX : (placed[2] - placed[0]) * (1 - SHARE_MIN);
    if (!this.#fits(placed, shared(state.clip, this.#box), cutMax) || !this.#follows(placed, em))
      this.isPlain = false;
    this.#last = { box: placed, em };
    this.#written = around(this.#written, placed);
  }

  /** Whether words have another color than all that may lie below them. */
  #stands(color: Color, placed: Box): boolean {
    const differs = (ground: Color): boolean =>
      ground !== undefined &&
      color?.some((part, index) => Math.abs(part - (ground[index] ?? 0)) > CONTRAST_MIN) === true;
    for (const { box, fill, isWhole } of this.#grounds.toReversed()) {
      const [left, bottom, right, top] = shared(box, placed);
      if (left >= right || bottom >= top) continue;
      if (!differs(fill)) return false;
      if (
        isWhole &&
        left <= placed[0] &&
        right >= placed[2] &&
        top - bottom >= (placed[3] - placed[1]) * SHARE_MIN
      )
        return true;
    }
    return differs(WHITE);
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

  /** The height of the smallest letters, as a share of the longer side of the box. */
  get share(): number {
    return this.em / Math.max(this.#box[2] - this.#box[0], this.#box[3] - this.#box[1]);
  }

  /** Follows every operator. */
  follow({ operator, operands, isLoose }: Operation, state: State): void {
    const count = OPERANDS.get(operator);
    if (isLoose || !OPERANDS.has(operator) || (count !== undefined && operands.length !== count))
      this.isPlain = false;
    const [x, y, width, height] = [0, 1, 2, 3].map((index) => numberAt(operands, index)) as [
      number,
      number,
      number,
      number,
    ];
    const placed = (right: number, top: number) => transformed([x, y, right, top], state.ctm);
    if (operator === 'm' || operator === 'l') {
      const [left, bottom] = placed(x, y);
      this.#corners.push([left, bottom]);
    }
    if (operator === 'm') this.#add(placed(x, y));
    else if (operator === 'l') this.#add(around(this.#parts.pop() ?? NOWHERE, placed(x, y)));
    else if (operator === 're') this.#addRectangle(placed(x + width, y + height), state.ctm);
    else if (CURVES.has(operator)) this.#isCurved = true;
    else if (operator === 'W' || operator === 'W*') this.#clip(state);
    else if (FILLS.has(operator) || STROKES.has(operator)) this.#end(operator, state);
    else if (operator === 'n') this.#begin();
    else if (operator === 'BDC' && operands[0] !== 'Tx') this.isPlain = false;
  }

  #add(part: Box): void {
    this.#parts.push(part);
    this.#reach = around(this.#reach, part);
  }

  #addRectangle(part: Box, ctm: Matrix): void {
    const [left, bottom, right, top] = part;
    if (!isSquare(ctm)) this.isPlain = false;
    this.#add(part);
    this.#corners.push([left, bottom], [right, bottom], [right, top], [left, top]);
  }

  /** Only a rectangle shows all that is in its box. */
  #clip(state: State): void {
    const corners = this.#corners;
    const [first, last] = [corners[0], corners.at(-1)];
    const isClosed = corners.length === 5 && first?.every((value, index) => value === last?.[index]);
    const [left, bottom, right, top] = this.#reach;
    const twice = corners.reduce((sum, [x, y], index) => {
      const [nextX, nextY] = corners[(index + 1) % corners.length] ?? [0, 0];
      return sum + x * nextY - nextX * y;
    }, 0);
    const area = (right - left) * (top - bottom);
    const isFull = Math.abs(Math.abs(twice) / 2 - area) <= area * ROUNDING;
    const isOne = this.#parts.length === 1 && !this.#isCurved && (corners.length === 4 || isClosed);
    if (!isOne || !isFull) this.isPlain = false;
    state.clip = shared(state.clip, this.#reach);
  }

  #end(operator: string, state: State): void {
    const { ctm, fill, lineWidth } = state;
    const isFilled = FILLS.has(operator);
    const line = operator.toLowerCase().startsWith('f') ? 0 : lineWidth * heightOf(ctm);
    const [width, height] = [this.#box[2] - this.#box[0], this.#box[3] - this.#box[1]];
    for (const part of this.#parts) {
      const [left, bottom, right, top] = part;
      const isFrame = right - left >= width * FRAME_SHARE_MIN;
      const isComb = right - left <= COMB_WIDTH_MAX && top - bottom >= height * COMB_SHARE_MIN;
      if ((!isFrame && !isComb) || this.#crosses(part, line)) this.isPlain = false;
      const isWhole = right - left >= width * WHOLE_SHARE_MIN && top - bottom >= height * WHOLE_SHARE_MIN;
      const isLight = !isFilled || fill?.every((component) => component >= LIGHT_MIN) === true;
      if (!isWhole || !isLight || line > Math.min(width, height) * FRAME_LINE_SHARE_MAX) this.isBare = false;
      if (isFilled) this.#addGround(part, state);
    }
    // A curve counts as a letter, whatever it encloses.
    if (this.#isCurved || line > LINE_MAX || (isFilled && this.#last)) this.isPlain = false;
    this.#begin();
  }

  #addGround(part: Box, { clip, fill, opacity, isVeiled }: State): void {
    if (this.#grounds.length >= GROUNDS_MAX) this.isPlain = false;
    else
      this.#grounds.push({
        box: shared(part, clip),
        fill: opacity < 1 || isVeiled ? undefined : fill,
        // A rectangle in another one may be a hole.
        isWhole: this.#parts.length === 1,
      });
  }

  /** Whether a line is drawn over words. */
  #crosses(part: Box, line: number): boolean {
    if (!this.#last) return false;
    const [wide, high] = [this.#last.em * BEARING, this.#last.em * SPARE];
    const words = grown(this.#written, -wide, -high);
    const [left, bottom, right, top] = shared(grown(part, line / 2, line / 2), words);
    if (left >= right || bottom >= top) return false;
    const inner = grown(part, -line / 2, -line / 2);
    return shared(inner, words).some((side, index) => side !== words[index]);
  }

  #begin(): void {
    this.#parts = [];
    this.#reach = NOWHERE;
    this.#corners = [];
    this.#isCurved = false;
  }
}
