import type { Box } from '../read/pages.ts';
import { numberAt } from './drawing-state.ts';
import { type Matrix, transformed } from './matrix.ts';
import type { Operand } from './tokens.ts';

/** Points; a letter, or a stroke of handwriting, that is drawn as a path. */
const LETTER_MAX = 24;
/** A path of more segments is a line of letters, or a signature: a box with round corners has eight. */
const SEGMENTS_MIN = 20;
/** Points; what is higher is an ornament, a map or a frame around the page, upon which people sign. */
const LINE_MAX = 72;

/** Numbers of an operator that are points of the path (ISO 32000-2, table 58). */
const POINTS: Record<string, number> = { m: 2, l: 2, c: 6, v: 4, y: 4 };

/** The path that is being made: how far it reaches, and of what it is. */
export class Outline {
  #left = Number.POSITIVE_INFINITY;
  #bottom = Number.POSITIVE_INFINITY;
  #right = Number.NEGATIVE_INFINITY;
  #top = Number.NEGATIVE_INFINITY;
  #segments = 0;
  #curves = 0;

  /** Takes an operator that makes the path longer; others are of no account. */
  add(operator: string, operands: readonly Operand[]): void {
    const count = POINTS[operator];
    if (count === undefined) return;
    for (let at = 0; at + 1 < count; at += 2) this.#reach(numberAt(operands, at), numberAt(operands, at + 1));
    if (operator !== 'm') this.#segments++;
    if (count > 2) this.#curves++;
  }

  #reach(x: number, y: number): void {
    this.#left = Math.min(this.#left, x);
    this.#right = Math.max(this.#right, x);
    this.#bottom = Math.min(this.#bottom, y);
    this.#top = Math.max(this.#top, y);
  }

  /**
   * Where the path is on the page, if it may be letters or a signature rather than a box or a rule: it has curves, and is small or a line
   * of many parts.
   */
  placed(ctm: Matrix): Box | undefined {
    if (this.#curves === 0) return undefined;
    const box = transformed([this.#left, this.#bottom, this.#right, this.#top], ctm);
    const [width, height] = [box[2] - box[0], box[3] - box[1]];
    const isLetter = Math.max(width, height) <= LETTER_MAX;
    const isLine = this.#segments >= SEGMENTS_MIN && Math.min(width, height) <= LINE_MAX;
    return isLetter || isLine ? box : undefined;
  }
}
