import { pdfNumber } from '../pdf/write/serialise.ts';
import type { ObjectSink } from '../pdf/write/update.ts';
import { embedFont } from './embed-font.ts';
import type { FontFile } from './font-file.ts';
import { type FontStyle, fontWith } from './installed.ts';
import { Subset } from './subset.ts';
import { inVisualOrder } from './visual-order.ts';

interface UsedFont {
  /** Its name among the resources. */
  key: string;
  subset: Subset;
  /** What each code stands for. */
  meanings: Map<number, string>;
}

interface Glyph {
  font: FontFile;
  glyph: number;
  text: string;
}

const UNKNOWN = 0x3f;
const SPACE = 0x20;
const PRESENTATION_FORM = /[\ufb50-\ufdff\ufe70-\ufefc]/;

/**
 * Fonts for one content stream, chosen character by character among those that are installed, and embedded with no
 * more glyphs than were shown. Scripts whose letters change with their neighbours are shaped where they are Arabic.
 */
export class TextFonts {
  readonly #style: FontStyle;
  readonly #prefix: string;
  readonly #used = new Map<FontFile, UsedFont>();

  /** `prefix` begins the names among the resources: another one for each TextFonts of a content stream. */
  constructor(style: FontStyle = 'regular', prefix = 'F') {
    this.#style = style;
    this.#prefix = prefix;
  }

  /** Points that a line of text takes at a font size of as many points. */
  width(text: string, size: number): number {
    let width = 0;
    for (const { font, glyph } of this.#glyphs(text)) width += font.width(glyph);
    return (width * size) / 1_000;
  }

  /** Operators that show a line of text from where the text position is; between `BT` and `ET`. */
  show(text: string, size: number): string {
    let operators = '';
    let codes = '';
    let current: UsedFont | undefined;
    for (const { font, glyph, text: meaning } of this.#glyphs(text)) {
      const used = this.#use(font);
      if (used !== current) {
        if (codes) operators += `<${codes}>Tj `;
        operators += `/${used.key} ${pdfNumber(size)} Tf `;
        codes = '';
        current = used;
      }
      const code = used.subset.numberOf(glyph);
      used.meanings.set(code, meaning);
      codes += code.toString(16).padStart(4, '0');
    }
    return codes ? `${operators}<${codes}>Tj` : operators;
  }

  /** Adds the fonts of all that was shown, and gives the entries for the /Font resources. To be called last. */
  embed(sink: ObjectSink): string {
    return [...this.#used.values()]
      .map(({ key, subset, meanings }) => `/${key} ${embedFont(sink, subset, meanings)}`)
      .join('');
  }

  #use(font: FontFile): UsedFont {
    const known = this.#used.get(font);
    if (known) return known;
    const key = `${this.#prefix}${this.#used.size + 1}`;
    const used = { key, subset: new Subset(font), meanings: new Map<number, string>() };
    this.#used.set(font, used);
    return used;
  }

  *#glyphs(text: string): Generator<Glyph> {
    for (const character of inVisualOrder(text.normalize('NFC'))) {
      const shown = Math.max(character.codePointAt(0) ?? UNKNOWN, SPACE);
      const meaning = PRESENTATION_FORM.test(character) ? character.normalize('NFKC') : character;
      const font = fontWith(shown, this.#style) ?? fontWith(shown, 'regular');
      if (font) yield { font, glyph: font.glyphOf(shown), text: meaning };
      else yield this.#unknown();
    }
  }

  /** For a character that no installed font has. */
  #unknown(): Glyph {
    const font = fontWith(UNKNOWN, this.#style);
    if (!font) throw new Error('no font with TrueType outlines is installed');
    return { font, glyph: font.glyphOf(UNKNOWN), text: '?' };
  }
}
