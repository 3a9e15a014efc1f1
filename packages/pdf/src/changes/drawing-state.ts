import type { PdfDocument } from '../read/document.ts';
import type { Box } from '../read/pages.ts';
import { Dict, Name, type Stream } from '../read/values.ts';
import { BLACK, type Color, filledWith } from './colors.ts';
import { IDENTITY, type Matrix, times } from './matrix.ts';
import { type FontWidths, GUESSED } from './text-width.ts';
import type { Operand } from './tokens.ts';

/** The graphics and text state for the next operator (ISO 32000-2, 8.4 and 9.3). */
export interface State {
  ctm: Matrix;
  /** The text line matrix, and the text matrix of the next glyph. */
  line: Matrix;
  text: Matrix;
  font: FontWidths;
  size: number;
  characterSpace: number;
  wordSpace: number;
  scale: number;
  leading: number;
  rise: number;
  lineWidth: number;
  /** Opacity of areas, and whether they darken the backdrop. */
  opacity: number;
  darkens: boolean;
  /** An isolated group has no backdrop to darken. */
  isIsolated: boolean;
  /** Text rendering mode (ISO 32000-2, table 104), and colors. */
  mode: number;
  fill: Color;
  clip: Box;
  /** A mask or blend mode may hide the drawing. */
  isVeiled: boolean;
}

const ANYWHERE: Box = [
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
];

/** Blend modes that keep dark content dark (ISO 32000-2, 11.3.5). */
const DARKENING: ReadonlySet<string> = new Set(['Multiply', 'Darken', 'ColorBurn', 'Overlay', 'SoftLight']);

/** Blend modes that keep dark letters visible. */
const LEAVING: ReadonlySet<string> = new Set(['Normal', 'Compatible', 'Multiply', 'Darken']);

/** The state at the beginning of content. */
export const start = (ctm: Matrix): State => ({
  ctm,
  line: IDENTITY,
  text: IDENTITY,
  font: GUESSED,
  size: 0,
  characterSpace: 0,
  wordSpace: 0,
  scale: 1,
  leading: 0,
  rise: 0,
  lineWidth: 1,
  opacity: 1,
  darkens: false,
  isIsolated: false,
  mode: 0,
  fill: BLACK,
  clip: ANYWHERE,
  isVeiled: false,
});

/** The operand at this index; 0 if it is not a number. */
export const numberAt = (operands: readonly Operand[], index: number): number => {
  const operand = operands[index];
  return typeof operand === 'number' ? operand : 0;
};

export const matrixAt = (operands: readonly Operand[]): Matrix => [
  numberAt(operands, 0),
  numberAt(operands, 1),
  numberAt(operands, 2),
  numberAt(operands, 3),
  numberAt(operands, 4),
  numberAt(operands, 5),
];

function moveLine(state: State, x: number, y: number): void {
  state.line = times([1, 0, 0, 1, x, y], state.line);
  state.text = state.line;
}

/** Applies a text operator to the state (ISO 32000-2, 9.3 and 9.4.2). */
export function setText(state: State, operator: string, operands: readonly Operand[]): void {
  const [first, second] = [numberAt(operands, 0), numberAt(operands, 1)];
  state.fill = filledWith(state.fill, operator, operands);
  switch (operator) {
    case 'Tr':
      state.mode = first;
      break;
    case 'Tc':
      state.characterSpace = first;
      break;
    case 'Tw':
      state.wordSpace = first;
      break;
    case 'Tz':
      state.scale = first / 100;
      break;
    case 'TL':
      state.leading = first;
      break;
    case 'Ts':
      state.rise = first;
      break;
    case 'BT':
      state.line = IDENTITY;
      state.text = IDENTITY;
      break;
    case 'Tm':
      state.line = matrixAt(operands);
      state.text = state.line;
      break;
    case 'TD':
      state.leading = -second;
      moveLine(state, first, second);
      break;
    case 'Td':
      moveLine(state, first, second);
      break;
    case '"':
      state.wordSpace = first;
      state.characterSpace = second;
      moveLine(state, 0, -state.leading);
      break;
    case "'":
    case 'T*':
      moveLine(state, 0, -state.leading);
      break;
  }
}

/** Parameters that change colors, such as black to white, but not in all readers. */
const TRANSFERS = ['TR', 'TR2', 'HT'];

/** Applies a graphics state parameter dictionary, except its font (ISO 32000-2, table 57). */
export function setParameters(state: State, document: PdfDocument, parameters: Dict): void {
  const of = (key: string) => document.get(parameters, key);
  const [width, opacity, mode] = [of('LW'), of('ca'), of('BM')];
  if (typeof width === 'number') state.lineWidth = width;
  if (typeof opacity === 'number') state.opacity = opacity;
  const name = mode instanceof Name ? mode.text : '';
  if (of('SMask') instanceof Dict || (mode !== null && !LEAVING.has(name))) state.isVeiled = true;
  if (TRANSFERS.some((key) => of(key) !== null && !(of(key) instanceof Name))) state.isVeiled = true;
  if (mode !== null) state.darkens = !state.isIsolated && DARKENING.has(name);
}

/** The matrix of a form XObject. */
export function formMatrix(document: PdfDocument, { dict }: Stream): Matrix {
  const value = document.get(dict, 'Matrix');
  if (!Array.isArray(value) || value.length !== 6) return IDENTITY;
  const numbers = value.map((item) => document.resolve(item));
  return matrixAt(numbers.map((number) => (typeof number === 'number' ? number : 0)));
}
