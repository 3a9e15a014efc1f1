import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Sfnt } from './sfnt.ts';

export type FontStyle = 'regular' | 'bold' | 'mono';

/** Font folders of Linux distributions and macOS. */
const FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', '/Library/Fonts', '/System/Library/Fonts'];
const FOLDER_DEPTH_MAX = 6;
const FILES_MAX = 5_000;
const CODE_POINTS_KEPT_MAX = 50_000;

/** Fonts to try first, in this order. Other fonts of the host follow, for characters that none of these has. */
const FIRST_CHOICE: Record<FontStyle, readonly string[]> = {
  regular: ['NotoSans-Regular', 'LiberationSans-Regular', 'DejaVuSans', 'Carlito-Regular', 'Arial'],
  bold: ['NotoSans-Bold', 'LiberationSans-Bold', 'DejaVuSans-Bold', 'Carlito-Bold', 'Arial Bold'],
  mono: ['LiberationMono-Regular', 'DejaVuSansMono', 'NotoSansMono-Regular', 'Courier New'],
};
const STYLED = /italic|oblique|light|thin|black|condensed|narrow|medium|extra|semi|display|looped|unjoined/i;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;
/** The regional forms of ideographs, as the index in collections such as Noto's. */
export type Region = 0 | 1 | 2;
const JAPAN = 0;
const KOREA = 1;
const CHINA = 2;

/** Detects the region from the kana or hangul of a text. China by default. */
export function regionOf(text: string): Region {
  if (KANA.test(text)) return JAPAN;
  return HANGUL.test(text) ? KOREA : CHINA;
}

/** By code point. Null if no font has it. */
type FoundFonts = Map<number, Sfnt | null>;

/** Finds fonts of this host by character. Files are read when a character needs them, and cached. */
export class FontBook {
  readonly #files: string[];
  readonly #candidates = new Map<FontStyle, string[]>();
  readonly #fonts = new Map<string, Sfnt | undefined>();
  readonly #found = new Map<FontStyle, [FoundFonts, FoundFonts, FoundFonts]>();

  constructor(folders: readonly string[] = FOLDERS) {
    this.#files = folders.flatMap((folder) => fontFiles(folder, FOLDER_DEPTH_MAX)).slice(0, FILES_MAX);
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  /** The first font that has a character. Undefined if none has. */
  find(codePoint: number, style: FontStyle, region: Region): Sfnt | undefined {
    const found = this.#foundOf(style)[region];
    const known = found.get(codePoint);
    if (known !== undefined) return known ?? undefined;
    const font = this.#search(codePoint, style, region);
    if (found.size >= CODE_POINTS_KEPT_MAX) found.clear();
    found.set(codePoint, font ?? null);
    return font;
  }

  #foundOf(style: FontStyle): [FoundFonts, FoundFonts, FoundFonts] {
    const known = this.#found.get(style);
    if (known) return known;
    const found: [FoundFonts, FoundFonts, FoundFonts] = [new Map(), new Map(), new Map()];
    this.#found.set(style, found);
    return found;
  }

  #search(codePoint: number, style: FontStyle, region: Region): Sfnt | undefined {
    for (const path of this.#candidatesOf(style)) {
      const font = this.#open(path, path.endsWith('.ttc') ? region : 0);
      if (font && font.glyph(codePoint) !== 0) return font;
    }
    return undefined;
  }

  #candidatesOf(style: FontStyle): string[] {
    const known = this.#candidates.get(style);
    if (known) return known;
    const named = (name: string): string[] => this.#files.filter((file) => stem(file) === name);
    const first = [...FIRST_CHOICE[style], ...FIRST_CHOICE.regular].flatMap(named);
    const ranked = this.#files
      .map((file) => ({ file, rank: rankOf(file, style) }))
      .sort((a, b) => a.rank - b.rank);
    const candidates = [...new Set([...first, ...ranked.map(({ file }) => file)])];
    this.#candidates.set(style, candidates);
    return candidates;
  }

  /** Undefined for a file that cannot be read, or contains bitmaps instead of outlines. */
  #open(path: string, index: number): Sfnt | undefined {
    const key = `${path} ${index}`;
    if (!this.#fonts.has(key)) this.#fonts.set(key, open(path, index));
    return this.#fonts.get(key);
  }
}

let host: FontBook | undefined;

/** The fonts of this host, searched once. */
export function hostFonts(): FontBook {
  host ??= new FontBook();
  return host;
}

function open(path: string, index: number): Sfnt | undefined {
  try {
    const font = new Sfnt({ path, index });
    font.glyph(0);
    return font.has('glyf') || font.has('CFF ') ? font : undefined;
  } catch {
    return index === 0 ? undefined : open(path, 0);
  }
}

const stem = (file: string): string => file.slice(file.lastIndexOf('/') + 1).replace(/\.\w+$/, '');

/** Ranks upright text faces, then sans serif faces, then the requested weight before others. */
function rankOf(file: string, style: FontStyle): number {
  const name = stem(file);
  return (
    (STYLED.test(name) ? 4 : 0) +
    (/sans/i.test(name) ? 0 : 2) +
    (/bold/i.test(name) === (style === 'bold') ? 0 : 1)
  );
}

function fontFiles(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    return entries.flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return fontFiles(path, depth - 1);
      return /\.(ttf|otf|ttc)$/i.test(entry.name) ? [path] : [];
    });
  } catch {
    return [];
  }
}
