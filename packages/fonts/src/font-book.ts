import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Sfnt } from './sfnt.ts';

/** `sans` and `serif` have the widths of Helvetica and Times. */
export type FontStyle = 'regular' | 'bold' | 'mono' | 'sans' | 'sansBold' | 'serif' | 'serifBold';

/** Font folders of Linux distributions and macOS. */
const FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts', '/Library/Fonts', '/System/Library/Fonts'];
const FOLDER_DEPTH_MAX = 6;
const FILES_MAX = 5_000;
const TEXTS_KEPT_MAX = 5_000;

/** Fonts to try first, in this order. Other fonts of the host follow, for characters that none of these has. */
const FIRST_CHOICE: Record<FontStyle, readonly string[]> = {
  regular: ['NotoSans-Regular', 'LiberationSans-Regular', 'DejaVuSans', 'Carlito-Regular', 'Arial'],
  bold: ['NotoSans-Bold', 'LiberationSans-Bold', 'DejaVuSans-Bold', 'Carlito-Bold', 'Arial Bold'],
  mono: ['LiberationMono-Regular', 'DejaVuSansMono', 'NotoSansMono-Regular', 'Courier New'],
  sans: ['LiberationSans-Regular', 'Arimo-Regular', 'Arial'],
  sansBold: ['LiberationSans-Bold', 'Arimo-Bold', 'Arial Bold'],
  serif: ['LiberationSerif-Regular', 'Tinos-Regular', 'Times New Roman'],
  serifBold: ['LiberationSerif-Bold', 'Tinos-Bold', 'Times New Roman Bold'],
};
const STYLED = /italic|oblique|light|thin|black|condensed|narrow|medium|extra|semi|display|looped|unjoined/i;
/** Scripts whose letters look best in the first choice. */
const GENERAL = /^(Latin|Greek|Cyrillic|Han|Hiragana|Katakana|Hangul|Bopomofo|Other|)$/;
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

/** By characters. Null if no font has them. */
type FoundFonts = Map<string, Sfnt | null>;

/** By script, for each region. */
const byRegion = (): [Map<string, FoundFonts>, Map<string, FoundFonts>, Map<string, FoundFonts>] => [
  new Map(),
  new Map(),
  new Map(),
];

/** Which fonts suit a text, besides having its characters. */
export interface FontWish {
  style: FontStyle;
  region: Region;
  /** As `scriptOf` returns it. Fonts named after the script come first. */
  script: string;
}

/** These select the shape of an adjacent character. A font need not have them. */
const INVISIBLE = /[\p{Join_Control}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}]/gu;

/** Finds fonts of this host by character. Files are read when a character needs them, and cached. */
export class FontBook {
  readonly #files: string[];
  readonly #candidates = new Map<string, string[]>();
  readonly #fonts = new Map<string, Sfnt | undefined>();
  readonly #found = new Map<FontStyle, ReturnType<typeof byRegion>>();

  constructor(folders: readonly string[] = FOLDERS) {
    this.#files = folders.flatMap((folder) => fontFiles(folder, FOLDER_DEPTH_MAX)).slice(0, FILES_MAX);
  }

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  /** The first font that has all of some characters, such as a letter with its marks. Undefined if none has. */
  find(characters: string, wish: FontWish): Sfnt | undefined {
    const found = this.#foundFor(wish);
    const known = found.get(characters);
    if (known !== undefined) return known ?? undefined;
    const font = this.#search(characters, wish);
    if (found.size >= TEXTS_KEPT_MAX) found.clear();
    found.set(characters, font ?? null);
    return font;
  }

  #foundFor({ style, region, script }: FontWish): FoundFonts {
    const regions = this.#found.get(style) ?? byRegion();
    this.#found.set(style, regions);
    const ofStyle = regions[region];
    const found: FoundFonts = ofStyle.get(script) ?? new Map();
    ofStyle.set(script, found);
    return found;
  }

  #search(characters: string, { style, region, script }: FontWish): Sfnt | undefined {
    const visible = characters.replace(INVISIBLE, '');
    const codePoints = Array.from(visible || characters, (character) => character.codePointAt(0) ?? 0);
    for (const path of this.#candidatesOf(style, script)) {
      const font = this.#open(path, path.endsWith('.ttc') ? region : 0);
      if (font && codePoints.every((codePoint) => font.glyph(codePoint) !== 0)) return font;
    }
    return undefined;
  }

  #candidatesOf(style: FontStyle, script: string): string[] {
    const key = `${style} ${script}`;
    const known = this.#candidates.get(key);
    if (known) return known;
    const named = (name: string): string[] => this.#files.filter((file) => stem(file) === name);
    const first = [...FIRST_CHOICE[style], ...FIRST_CHOICE.regular].flatMap(named);
    const ranked = this.#files
      .map((file) => ({ file, rank: rankOf(file, style) }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ file }) => file);
    const ofScript = GENERAL.test(script) ? [] : ranked.filter((file) => isNamedAfter(file, script));
    const candidates = [...new Set([...ofScript, ...first, ...ranked])];
    this.#candidates.set(key, candidates);
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

/** Whether `NotoSansCanadianAboriginal-Regular` and the like are for a script. */
const isNamedAfter = (file: string, script: string): boolean =>
  stem(file).toLowerCase().replace(/[-_ ]/g, '').includes(script.toLowerCase().replaceAll('_', ''));

/** Ranks upright text faces, then sans serif faces, then the requested weight before others. */
function rankOf(file: string, style: FontStyle): number {
  const name = stem(file);
  return (
    (STYLED.test(name) ? 4 : 0) +
    (/sans/i.test(name) ? 0 : 2) +
    (/bold/i.test(name) === /bold/i.test(style) ? 0 : 1)
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
