import type { Dialect } from '../template/dialect.ts';

/** Levels of a list (ECMA-376-1 §17.9.6). */
export const LEVELS = 9;
/** Indentation of each level, in twentieths of a point, as in Word. */
const LEVEL_TWIPS = 720;
const HANGING_TWIPS = 360;
/** Characters that common fonts have, unlike those of the Symbol font. */
const BULLETS = ['•', '◦', '▪'];
const FORMATS = ['decimal', 'lowerLetter', 'lowerRoman'];

/** How far the text of a level is indented. */
export function levelIndent(level: number): number {
  return LEVEL_TWIPS * (level + 1);
}

/** `marker` is the bullet of one level. */
export function bulletLevels(dialect: Dialect, marked = 0, marker?: string): string {
  return levels(dialect, (level) => ({
    format: 'bullet',
    text: (level === marked ? marker : undefined) ?? BULLETS[level % BULLETS.length] ?? '',
  }));
}

/** `marker` is the format of the numbers of one level. */
export function decimalLevels(dialect: Dialect, marked = 0, marker?: string): string {
  return levels(dialect, (level) => ({
    format: (level === marked ? marker : undefined) ?? FORMATS[level % FORMATS.length] ?? '',
    text: `%${level + 1}.`,
  }));
}

function levels({ element }: Dialect, look: (level: number) => { format: string; text: string }): string {
  return Array.from({ length: LEVELS }, (_, level) => {
    const { format, text } = look(level);
    const indent = { left: String(levelIndent(level)), hanging: String(HANGING_TWIPS) };
    return element(
      'lvl',
      { ilvl: String(level) },
      element('start', { val: '1' }) +
        element('numFmt', { val: format }) +
        element('lvlText', { val: text }) +
        element('lvlJc', { val: 'left' }) +
        element('pPr', {}, element('ind', indent)),
    );
  }).join('');
}
