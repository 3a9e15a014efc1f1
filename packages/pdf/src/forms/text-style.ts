import { literal } from '../write/literal.ts';

/** How a field shows its text (/DA, ISO 32000-2, 12.7.4.3). */
export interface TextStyle {
  /** The name of the font in the resources of the form. */
  font: string;
  /** In points; 0 if readers choose it. */
  size: number;
  /** The operator that sets the color of the letters. */
  color: string;
}

const STYLE_CHARS_MAX = 1_000;
const SIZE_MAX = 1_000;
const COLORS: Readonly<Record<string, number>> = { g: 1, rg: 3, k: 4 };
const NUMBER = /^[-+]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})$/;

export function readStyle(text: string): TextStyle {
  const style: TextStyle = { font: '', size: 0, color: '0 g' };
  const words = text.slice(0, STYLE_CHARS_MAX).match(/\/?[^\s/]+/g) ?? [];
  for (const [at, word] of words.entries()) {
    const before = (count: number) => words.slice(Math.max(0, at - count), at);
    if (word === 'Tf') {
      const [font = '', size = ''] = before(2);
      if (font.startsWith('/') && NUMBER.test(size)) {
        style.font = unescaped(font.slice(1));
        style.size = Math.min(SIZE_MAX, Math.abs(Number(size)));
      }
    }
    const count = Object.hasOwn(COLORS, word) ? COLORS[word] : undefined;
    const color = count === undefined ? [] : before(count);
    if (count !== undefined && color.length === count && color.every((part) => NUMBER.test(part)))
      style.color = colorOperator(color.map(Number));
  }
  return style;
}

const unescaped = (name: string): string =>
  name.replace(/#([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const OPERATORS: Readonly<Record<number, readonly [fill: string, stroke: string]>> = {
  1: ['g', 'G'],
  3: ['rg', 'RG'],
  4: ['k', 'K'],
};

/** The operator for a color of one, three or four components; empty for another number of them. */
export function colorOperator(parts: readonly number[], isStroke = false): string {
  const operator = OPERATORS[parts.length]?.[isStroke ? 1 : 0];
  return operator === undefined
    ? ''
    : `${parts.map((part) => literal.number(Math.min(1, Math.max(0, part)))).join(' ')} ${operator}`;
}
