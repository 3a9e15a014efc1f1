import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type FontFile, readFont } from './font-file.ts';

export type FontStyle = 'regular' | 'bold';

/** Where systems keep fonts. */
const FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts'];
const DEPTH_MAX = 4;

/** Families in the order in which they are asked for a character: those with most scripts before those with one. */
const PREFERRED = [/^LiberationSans-/, /^DejaVuSans-|^DejaVuSans\./, /^NotoSans-/, /^NotoSans[A-Z]/, /^Noto/];
const STYLES: Record<FontStyle, RegExp> = { regular: /(-Regular|DejaVuSans)\.ttf$/, bold: /-Bold\.ttf$/ };

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function* files(folder: string, depth: number): Generator<string> {
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory() && depth < DEPTH_MAX) yield* files(join(folder, entry.name), depth + 1);
    else if (/\.ttf$/.test(entry.name)) yield join(folder, entry.name);
  }
}

const rankOf = (path: string): number => {
  const name = path.split('/').at(-1) ?? '';
  return PREFERRED.findIndex((pattern) => pattern.test(name));
};

const paths = new Map<FontStyle, string[]>();
const fonts = new Map<string, FontFile | undefined>();

/** Installed fonts of a style, the preferred first. */
function pathsOf(style: FontStyle): string[] {
  const known = paths.get(style);
  if (known) return known;
  const all = FOLDERS.flatMap((folder) => [...files(folder, 0)]);
  const ranked = all.filter((path) => STYLES[style].test(path) && rankOf(path) !== -1);
  ranked.sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1));
  paths.set(style, ranked);
  return ranked;
}

/** The font in which a code point is written; undefined where none that is installed has it. Files are read once. */
export function fontWith(codePoint: number, style: FontStyle): FontFile | undefined {
  for (const path of pathsOf(style)) {
    if (!fonts.has(path)) fonts.set(path, readFont(path));
    const font = fonts.get(path);
    if (font && font.glyphOf(codePoint) !== 0) return font;
  }
  return undefined;
}
