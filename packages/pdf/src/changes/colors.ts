import type { Operand } from './tokens.ts';

/** Red, green and blue from 0 to 1; undefined for a pattern, and for a color space that may turn a number into any color. */
export type Color = readonly [number, number, number] | undefined;

export const BLACK: Color = [0, 0, 0];
export const WHITE: Color = [1, 1, 1];

const DEVICE_SPACES: ReadonlySet<unknown> = new Set([
  'DeviceGray',
  'DeviceRGB',
  'DeviceCMYK',
  'G',
  'RGB',
  'CMYK',
]);

const gray = (level: number): Color => [level, level, level];

/** Applies an operator to the fill color (ISO 32000-2, table 73). */
export function filledWith(color: Color, operator: string, operands: readonly Operand[]): Color {
  const [a, b, c, d] = [0, 1, 2, 3].map((index) => {
    const operand = operands[index];
    return typeof operand === 'number' ? Math.min(Math.max(operand, 0), 1) : 0;
  }) as [number, number, number, number];
  const components = operands.length;
  if (operator === 'cs') return DEVICE_SPACES.has(operands[0]) ? BLACK : undefined;
  if (operator === 'g') return gray(a);
  if (operator === 'rg') return [a, b, c];
  if (operator === 'k') return [(1 - a) * (1 - d), (1 - b) * (1 - d), (1 - c) * (1 - d)];
  if (operator !== 'sc' && operator !== 'scn') return color;
  if (color === undefined || operands.some((operand) => typeof operand !== 'number')) return undefined;
  if (components === 1) return gray(a);
  return filledWith(color, components === 3 ? 'rg' : 'k', operands);
}
