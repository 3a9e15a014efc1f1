import { IDENTITY, type Matrix, times } from './matrix.ts';
import { type FontWidths, GUESSED } from './text-width.ts';
import type { Operand } from './tokens.ts';

/** What decides where and how the next operator draws (ISO 32000-2, 8.4 and 9.3). */
export interface State {
  ctm: Matrix;
  /** Where the line of text began, and where the next glyph goes. */
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
  /** Opacity of areas, and whether they darken what lies below. */
  opacity: number;
  darkens: boolean;
  /** In an isolated group nothing lies below that could be darkened. */
  isIsolated: boolean;
}

/** As content begins. */
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
});

/** The operand of this place; 0 where it is no number. */
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

/** What an operator does to where and how text is shown (ISO 32000-2, 9.3 and 9.4.2). */
export function setText(state: State, operator: string, operands: readonly Operand[]): void {
  const [first, second] = [numberAt(operands, 0), numberAt(operands, 1)];
  switch (operator) {
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
