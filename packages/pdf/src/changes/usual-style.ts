import { lineWidth } from '../read/annotations.ts';
import { Dict, Name, PdfString } from '../read/values.ts';
import type { Comparison } from './comparison.ts';
import { formOf } from './form-tree.ts';

/** Black letters, in any order of font and color. */
const COLOR = '(?:0 g|0 0 0 rg|0 0 0 1 k)';
const STYLE = new RegExp(`^(?:${COLOR} )?/([^ /]+) (\\d+(?:\\.\\d+)?) Tf(?: ${COLOR})?$`);
/** In points. A reader chooses the size 0. */
const SIZE_MIN = 4;
const SIZE_MAX = 24;
const LARGE_MAX = 72;
const BORDER_MAX = 2;
const SYMBOLIC = /Symbol|Dingbats|Wingdings|Webdings/i;

/** Whether the style of a field without a look, from which readers draw its value, neither hides the value nor changes it. */
export function isUsualStyle(c: Comparison, field: Dict, key: string): boolean {
  const value = c.newer.get(field, key);
  if (key === 'DA') return value instanceof PdfString && hasBlackLetters(c, value.text);
  if (key === 'BS') return lineWidth(c.newer, field) <= BORDER_MAX;
  // A background may have the color of the letters.
  if (key === 'MK') return value instanceof Dict && !['BG', 'BC'].some((name) => value.entries.has(name));
  return true;
}

function hasBlackLetters({ older }: Comparison, style: string): boolean {
  const [, name = '', size = ''] = STYLE.exec(style.trim().replace(/\s+/g, ' ')) ?? [];
  const points = Number(size);
  if (name === '' || (points !== 0 && (points < SIZE_MIN || points > SIZE_MAX))) return false;
  const form = formOf(older);
  const resources = form && older.dict(form, 'DR');
  const fonts = resources && older.dict(resources, 'Font');
  const font = fonts && older.dict(fonts, name);
  const base = font && older.get(font, 'BaseFont');
  return base instanceof Name && !SYMBOLIC.test(base.text);
}

/** Operators that set a color, by their number of components (ISO 32000-2, table 73). */
const COLORS: Readonly<Record<string, number>> = { g: 1, rg: 3, k: 4 };
/** From 0 to 1. Letters are darker, and grounds are lighter. */
const LIGHTNESS = 0.6;

/**
 * Whether the style of a field with a look does not hide the value in readers that show fields for filling in, such as pdf.js.
 * They take the size and the color from it.
 */
export function isLegibleStyle(c: Comparison, field: Dict, key: string): boolean {
  const value = c.newer.get(field, key);
  if (key === 'MK') {
    const ground = value instanceof Dict ? c.newer.get(value, 'BG') : null;
    const parts = Array.isArray(ground) ? ground.map((part) => Number(c.newer.resolve(part))) : [];
    return parts.length === 0 || lightnessOf(parts) >= LIGHTNESS;
  }
  if (key !== 'DA') return true;
  if (!(value instanceof PdfString)) return false;
  const words = value.text.trim().split(/\s+/);
  return words.every((word, index) => {
    const before = (count: number) => words.slice(Math.max(0, index - count), index).map(Number);
    if (word === 'Tf')
      return before(1).every((size) => size === 0 || (size >= SIZE_MIN && size <= LARGE_MAX));
    const count = Object.hasOwn(COLORS, word) ? COLORS[word] : undefined;
    return count === undefined || lightnessOf(before(count)) <= LIGHTNESS;
  });
}

/** NaN if the color is missing. */
function lightnessOf([first = Number.NaN, second = first, third = first, black]: readonly number[]): number {
  if (black !== undefined) return 1 - Math.min(1, Math.max(first, second, third) + black);
  return 0.3 * first + 0.59 * second + 0.11 * third;
}
