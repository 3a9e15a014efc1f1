import { metricCopyOf } from './metric-fonts.ts';

/** How the letters of a font look. A replacement never changes the class. */
type FontClass = 'sans' | 'narrow' | 'serif' | 'slab' | 'mono' | 'script' | 'display';

/** What replaces a font of a class if nothing closer is installed, best first. */
const CLASSES: Record<FontClass, readonly string[]> = {
  sans: ['Liberation Sans', 'Noto Sans', 'DejaVu Sans'],
  narrow: ['Liberation Sans Narrow', 'DejaVu Sans Condensed', 'Liberation Sans', 'Noto Sans'],
  serif: ['Liberation Serif', 'Noto Serif', 'DejaVu Serif'],
  slab: ['Roboto Slab', 'Caladea', 'Noto Serif', 'DejaVu Serif'],
  mono: ['Liberation Mono', 'DejaVu Sans Mono', 'Noto Sans Mono'],
  script: ['Z003', 'TeX Gyre Chorus', 'Comic Neue', 'Liberation Serif'],
  display: ['Liberation Sans', 'Noto Sans', 'DejaVu Sans'],
};

/**
 * Fonts by what replaces them. Each entry has their class, the families of Debian that come closest (the same widths, then a
 * similar width and design), and the fonts. A font that is installed is never replaced.
 */
const REPLACEMENTS: readonly (readonly [FontClass, closest: string, fonts: string])[] = [
  // Fonts with the widths of others. Metric copies go before all.
  ['sans', 'Carlito', 'Calibri; Calibri Light; Candara; Corbel'],
  ['serif', 'Caladea', 'Cambria; Cambria Math; Constantia'],
  [
    'sans',
    'Arimo; Nimbus Sans; TeX Gyre Heros',
    'Arial; Helvetica; Helvetica Neue; Arial Unicode MS; Arial MT',
  ],
  ['serif', 'Tinos; Nimbus Roman; TeX Gyre Termes', 'Times New Roman; Times; Thorndale; Times New Roman PS'],
  ['mono', 'Cousine; Nimbus Mono PS; TeX Gyre Cursor', 'Courier New; Courier; Cumberland; Courier Std'],
  ['narrow', '', 'Arial Narrow; Helvetica Narrow; Helvetica Condensed; Liberation Sans Narrow; Aptos Narrow'],
  ['serif', 'Gelasio; Noto Serif', 'Georgia; Georgia Pro'],
  ['serif', 'P052; TeX Gyre Pagella', 'Palatino; Palatino Linotype; Book Antiqua'],
  ['serif', 'C059; TeX Gyre Schola', 'Century Schoolbook; New Century Schoolbook; Century'],
  ['serif', 'URW Bookman; TeX Gyre Bonum', 'Bookman Old Style; Bookman; ITC Bookman'],
  ['sans', 'URW Gothic; TeX Gyre Adventor; Noto Sans', 'Century Gothic; ITC Avant Garde Gothic; Avant Garde'],
  // Fonts of scripts that have no other one.
  [
    'sans',
    'Noto Sans Khmer',
    'Khmer UI; DaunPenh; MoolBoran; Khmer OS; Khmer OS System; Khmer OS Battambang',
  ],
  ['sans', 'Noto Sans Myanmar', 'Myanmar Text; Padauk; Pyidaungsu; Myanmar3; Myanmar MN; Myanmar Sangam MN'],
  // Sans serif, wide.
  ['sans', 'DejaVu Sans', 'Verdana; Verdana Pro; Bitstream Vera Sans; Lucida Sans Unicode'],
  ['sans', 'DejaVu Sans', 'Montserrat; Montserrat Light; Montserrat Medium; Montserrat SemiBold'],
  ['sans', 'Montserrat; DejaVu Sans', 'Poppins; Poppins Light; Poppins Medium; Gotham; Proxima Nova'],
  ['sans', 'DejaVu Sans Condensed', 'Tahoma; Microsoft Sans Serif; MS Sans Serif; Geneva'],
  [
    'sans',
    'Open Sans; Noto Sans',
    'Open Sans; Open Sans Light; Open Sans SemiBold; Droid Sans; Lucida Grande',
  ],
  ['sans', 'Noto Sans', 'Lucida Sans; Ubuntu; Ubuntu Light; Fira Sans; Work Sans; Rubik; Raleway; Oxygen'],
  [
    'sans',
    'Inter; Roboto; Noto Sans',
    'Inter; Inter Display; SF Pro Text; SF Pro Display; SF Pro; San Francisco',
  ],
  // Sans serif, about as wide as Arial.
  ['sans', '', 'Aptos; Aptos Display; Aptos Light; Aptos SemiBold; Aptos ExtraBold; Aptos Black; Bierstadt'],
  [
    'sans',
    'Selawik',
    'Segoe UI; Segoe UI Light; Segoe UI Semilight; Segoe UI Semibold; Segoe UI Black; Segoe UI Variable',
  ],
  ['sans', '', 'Segoe UI Variable Text; Segoe UI Variable Display; Segoe WP; Selawik; Leelawadee UI; Ebrima'],
  [
    'sans',
    'Roboto',
    'Roboto; Roboto Light; Roboto Medium; Roboto Black; Roboto Thin; Google Sans; Product Sans',
  ],
  [
    'narrow',
    'Roboto Condensed',
    'Roboto Condensed; Open Sans Condensed; Fira Sans Condensed; PT Sans Narrow',
  ],
  [
    'sans',
    '',
    'Trebuchet MS; Univers; Frutiger; Myriad Pro; Myriad; Franklin Gothic Book; Franklin Gothic Medium',
  ],
  [
    'sans',
    '',
    'Grandview; Seaford; Skeena; Tenorite; Nunito; Nunito Sans; PT Sans; DM Sans; Mulish; Karla; Barlow',
  ],
  [
    'sans',
    '',
    'IBM Plex Sans; Arimo; Nimbus Sans; Avenir; Avenir Next; Avenir Next LT Pro; Futura; Optima; Akzidenz Grotesk',
  ],
  [
    'sans',
    '',
    'News Gothic MT; Segoe; Kalinga; Bahnschrift; Quicksand; Josefin Sans; Titillium Web; Cabin; Heebo; Manrope',
  ],
  // Sans serif, about as narrow as Calibri.
  ['sans', 'Lato; Carlito', 'Lato; Lato Light; Lato Medium; Lato Semibold; Lato Black; Lato Heavy'],
  [
    'sans',
    'Source Sans 3; Source Sans Pro; Carlito',
    'Source Sans Pro; Source Sans 3; Gill Sans MT; Gill Sans; Gill Sans Nova',
  ],
  [
    'narrow',
    'Oswald',
    'Oswald; Bebas Neue; Impact; Haettenschweiler; Franklin Gothic Demi Cond; Franklin Gothic Medium Cond',
  ],
  // Serif.
  [
    'serif',
    'EB Garamond',
    'Garamond; Adobe Garamond Pro; EB Garamond; Cormorant Garamond; Apple Garamond; Sabon; Perpetua',
  ],
  [
    'serif',
    '',
    'Aptos Serif; Baskerville; Baskerville Old Face; Goudy Old Style; Californian FB; Centaur; High Tower Text',
  ],
  [
    'serif',
    '',
    'Minion Pro; Adobe Caslon Pro; Caslon; Big Caslon; Bell MT; Bodoni MT; Didot; Calisto MT; Footlight MT Light',
  ],
  [
    'serif',
    'Source Serif 4; Source Serif Pro; Noto Serif',
    'Source Serif Pro; Source Serif 4; PT Serif; Droid Serif; Charter',
  ],
  [
    'serif',
    'Noto Serif',
    'Merriweather; Lora; Playfair Display; Libre Baskerville; Crimson Text; Bitter; Sitka Text; Sitka',
  ],
  [
    'serif',
    '',
    'Lucida Bright; Lucida Fax; MS Serif; Cochin; Hoefler Text; Tinos; IBM Plex Serif; Utopia; Nimbus Roman',
  ],
  [
    'slab',
    '',
    'Rockwell; Rockwell Condensed; Roboto Slab; Clarendon; Courier Prime Serif; Aptos Slab; Zilla Slab; Arvo',
  ],
  // Fixed pitch.
  [
    'mono',
    'DejaVu Sans Mono',
    'Consolas; Menlo; Monaco; Lucida Console; Andale Mono; Bitstream Vera Sans Mono; Aptos Mono',
  ],
  [
    'mono',
    'DejaVu Sans Mono',
    'Cascadia Mono; Cascadia Code; SF Mono; Source Code Pro; Fira Code; Fira Mono; JetBrains Mono',
  ],
  [
    'mono',
    '',
    'Roboto Mono; IBM Plex Mono; Inconsolata; Space Mono; Ubuntu Mono; PT Mono; OCR A Extended; Lucida Sans Typewriter',
  ],
  [
    'mono',
    '',
    'Letter Gothic; Fixedsys; Terminal; Cousine; Nimbus Mono PS; Consolas Bold; Noto Mono; Droid Sans Mono',
  ],
  // Handwriting.
  [
    'sans',
    'Comic Neue; Comic Relief',
    'Comic Sans MS; Segoe Print; Segoe Script; Ink Free; Bradley Hand ITC; Kristen ITC; Chalkboard',
  ],
  [
    'script',
    '',
    'Monotype Corsiva; Apple Chancery; Zapf Chancery; ITC Zapf Chancery; Lucida Calligraphy; Lucida Handwriting',
  ],
  [
    'script',
    '',
    'Brush Script MT; Edwardian Script ITC; French Script MT; Kunstler Script; Vivaldi; Freestyle Script; Mistral',
  ],
  [
    'display',
    '',
    'Arial Black; Arial Rounded MT Bold; Berlin Sans FB; Britannic Bold; Tw Cen MT; Eras Medium ITC; Maiandra GD',
  ],
];

/** Fonts of East Asia, whose class is of their own scripts. */
const EAST_ASIAN: readonly (readonly [closest: string, fonts: string])[] = [
  [
    'Noto Sans CJK JP',
    'Yu Gothic; Yu Gothic UI; Meiryo; Meiryo UI; MS PGothic; MS UI Gothic; Hiragino Sans; ＭＳ Ｐゴシック; 游ゴシック; メイリオ',
  ],
  ['Noto Sans Mono CJK JP; Noto Sans CJK JP', 'MS Gothic; ＭＳ ゴシック'],
  [
    'Noto Serif CJK JP',
    'Yu Mincho; MS Mincho; MS PMincho; Hiragino Mincho ProN; ＭＳ 明朝; ＭＳ Ｐ明朝; 游明朝',
  ],
  [
    'Noto Sans CJK SC',
    'Microsoft YaHei; Microsoft YaHei UI; SimHei; DengXian; PingFang SC; 微软雅黑; 黑体; 等线',
  ],
  [
    'Noto Serif CJK SC',
    'SimSun; NSimSun; SimSun-ExtB; FangSong; KaiTi; STSong; STKaiti; STFangsong; 宋体; 新宋体; 仿宋; 楷体',
  ],
  ['Noto Sans CJK TC', 'Microsoft JhengHei; Microsoft JhengHei UI; PingFang TC; 微軟正黑體'],
  ['Noto Serif CJK TC', 'PMingLiU; MingLiU; PMingLiU-ExtB; DFKai-SB; 新細明體; 細明體; 標楷體'],
  // Behind their copies, which have no Hangul.
  ['Scriptor Hangul; Noto Sans CJK KR', 'Malgun Gothic; Gulim; Dotum; 맑은 고딕; 굴림; 돋움'],
  ['Noto Sans CJK KR', 'GulimChe; DotumChe'],
  ['Noto Serif CJK KR', 'Batang; BatangChe; Gungsuh; 바탕; 궁서'],
];

/**
 * Fonts of symbols. LibreOffice knows which sign of OpenSymbol stands for each of their codes, in the range of letters and in
 * the range of private use.
 */
const SYMBOLS =
  'Wingdings; Wingdings 2; Wingdings 3; Webdings; Symbol; ZapfDingbats; Zapf Dingbats; ITC Zapf Dingbats; Monotype Sorts; MT Extra';

/** The class of fonts that are in no list, by a word of their name. The first that fits counts. */
const CLASS_WORDS: readonly (readonly [FontClass, words: string])[] = [
  ['mono', 'Mono; Console; Typewriter; Courier; Code'],
  ['narrow', 'Condensed; Narrow'],
  ['sans', 'Sans; Grotesk; Gothic; Helvetica'],
  ['slab', 'Slab'],
  [
    'serif',
    'Serif; Roman; Garamond; Baskerville; Caslon; Bodoni; Didot; Goudy; Antiqua; Times; Minion; Century',
  ],
];

const split = (list: string): string[] => (list === '' ? [] : list.split('; '));

/** Fonts with what replaces them, best first. Not all of it is installed. */
export function replacements(): Map<string, readonly string[]> {
  const table = new Map<string, readonly string[]>();
  const add = (font: string, families: readonly string[]) => {
    const copy = metricCopyOf(font) ?? [];
    table.set(
      font,
      [...new Set([copy, families].flat())].filter((name) => name !== font),
    );
  };
  for (const [kind, closest, fonts] of REPLACEMENTS)
    for (const font of split(fonts)) add(font, [...split(closest), ...CLASSES[kind]]);
  for (const [closest, fonts] of EAST_ASIAN) for (const font of split(fonts)) add(font, split(closest));
  for (const font of split(SYMBOLS)) table.set(font, ['OpenSymbol']);
  return table;
}

/** Words of a font's name, with what replaces fonts of that class. An earlier word counts more. */
export function replacementsByWord(): [word: string, families: readonly string[]][] {
  return CLASS_WORDS.flatMap(([kind, words]) =>
    split(words).map((word): [string, readonly string[]] => [word, CLASSES[kind]]),
  );
}

const TABLE = new Map([...replacements()].map(([font, by]) => [font.toLowerCase(), by]));

/** What replaces a font, best first; empty if it is in no list and its name has no word of a class. */
export function replacementsOf(font: string): readonly string[] {
  const name = font.toLowerCase();
  const byWord = () => replacementsByWord().find(([word]) => name.includes(word.toLowerCase()))?.[1];
  return TABLE.get(name) ?? byWord() ?? [];
}
