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
