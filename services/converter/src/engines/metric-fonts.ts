import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { metricCopies } from '@scriptorium/fonts/metric-copies';

/**
 * Where the setup of a checkout puts the copies; the path holds from `src/engines` and from `dist/engines`. The image has them
 * among the fonts of the host.
 */
const FOLDER = fileURLToPath(new URL('../../dist/metric-fonts', import.meta.url));

/** The folder of the metric copies, if they are not among the fonts of the host. */
export const metricFontsFolder = (): string | undefined => (existsSync(FOLDER) ? FOLDER : undefined);

const TABLE = metricCopies();
const COPIES = new Map(
  TABLE.flatMap((copy) => copy.replaces.map((font) => [font.toLowerCase(), copy] as const)),
);

/** Fonts, and the families of their copies. */
export const metricReplacements = (): { font: string; copy: string }[] =>
  TABLE.flatMap(({ replaces, family }) => replaces.map((font) => ({ font, copy: family })));

/** The family of the metric copy for a font; undefined if there is none. It may not be installed. */
export const metricCopyOf = (font: string): string | undefined => COPIES.get(font.toLowerCase())?.family;

/** The same if the copy is in the folder, of which the fontconfig of the host knows nothing. */
export function metricCopyInFolder(font: string): string | undefined {
  const family = metricCopyOf(font);
  if (family === undefined) return undefined;
  return existsSync(join(FOLDER, `${family.replaceAll(' ', '')}-Regular.ttf`)) ? family : undefined;
}

/** Fonts with the widths of others, besides the copies. */
const SAME_WIDTHS: readonly (readonly [font: string, by: string])[] = [
  ['arial', 'liberation sans'],
  ['arial narrow', 'liberation sans narrow'],
  ['times new roman', 'liberation serif'],
  ['courier new', 'liberation mono'],
  ['calibri', 'carlito'],
  ['palatino linotype', 'p052'],
  ['symbol', 'opensymbol'],
];

/** Whether lines break at the same words in a font and in the one that replaces it. */
export function hasSameWidths(font: string, by: string): boolean {
  const [asked, used] = [font.toLowerCase(), by.toLowerCase()];
  const copy = COPIES.get(asked);
  if (copy?.hasAllWidths && copy.family.toLowerCase() === used) return true;
  return SAME_WIDTHS.some(([one, other]) => one === asked && other === used);
}
