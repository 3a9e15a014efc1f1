import { joinArabic, type Letter } from '@scriptorium/fonts/arabic';
import { visualOrder } from '@scriptorium/fonts/bidi';
import {
  type FontBook,
  type FontStyle,
  hostFonts,
  type Region,
  regionOf,
} from '@scriptorium/fonts/font-book';
import type { Sfnt } from '@scriptorium/fonts/sfnt';
import { literal } from '../write/literal.ts';
import type { ObjectSink } from '../write/update.ts';
import { EmbeddedFont } from './embedded-font.ts';

const ASCII = /^[ -~]*$/;
const WIDTHS_KEPT_MAX = 20_000;
/** Choose the shape of a neighbour, and are nothing to see themselves. */
const INVISIBLE = /\p{Join_Control}|\p{Variation_Selector}/u;
/** For characters that are the same wherever ideographs come from. */
const NO_REGION: Region = 2;
const CONTROL = /\p{Cc}/gu;

interface ShownGlyph {
  font: EmbeddedFont;
  /** Hexadecimal. */
  code: string;
}

/**
 * Fonts for one style of text in a PDF, chosen character by character among those of the host, and embedded with no more glyphs
 * than were shown. Text is given in the order of reading: lines with Hebrew or Arabic are put in the order of the eye, Arabic
 * letters are joined. A character that no font has is spelled as `[U+1F58B]`.
 */
export class TextFonts {
  readonly #style: FontStyle;
  readonly #prefix: string;
  readonly #book: FontBook;
  readonly #used = new Map<Sfnt, EmbeddedFont>();
  readonly #widths = new Map<string, number>();
  /** What is shown for a character, where no neighbour matters. */
  readonly #plain = new Map<string, ShownGlyph | undefined>();

  /** `prefix` begins the names among the resources: another one for each TextFonts of a content stream. */
  constructor(style: FontStyle = 'regular', prefix = 'F', book: FontBook = hostFonts()) {
    this.#style = style;
    this.#prefix = prefix;
    this.#book = book;
  }

  /** Points that a line of text takes at a font size of as many points. */
  width(text: string, size: number): number {
    return (this.#thousandths(text) * size) / 1_000;
  }

  /** Operators that show a line of text from where the text position is; between `BT` and `ET`. */
  show(text: string, size: number): string {
    const operators: string[] = [];
    const region = regionOf(text);
    let current: EmbeddedFont | undefined;
    let codes = '';
    const end = (): void => {
      if (current) operators.push(`/${current.key} ${literal.number(size)} Tf <${codes}>Tj`);
    };
    for (const letter of this.#inVisualOrder(text, region)) {
      const glyph = typeof letter === 'string' ? this.#plainGlyph(letter) : this.#glyph(letter, region);
      if (!glyph) continue;
      if (glyph.font !== current) {
        end();
        current = glyph.font;
        codes = '';
      }
      codes += glyph.code;
    }
    end();
    return operators.join(' ');
  }

  /** Adds the fonts of all that was shown, and gives the entries for the /Font resources. To be called last. */
  embed(sink: ObjectSink): string {
    return [...this.#used.values()].map((font) => `/${font.key} ${font.write(sink)}`).join('');
  }

  #use(source: Sfnt): EmbeddedFont {
    const known = this.#used.get(source);
    if (known) return known;
    const font = new EmbeddedFont(source, `${this.#prefix}${this.#used.size + 1}`);
    this.#used.set(source, font);
    return font;
  }

  #plainGlyph(character: string): ShownGlyph | undefined {
    if (!this.#plain.has(character)) {
      this.#plain.set(character, this.#glyph({ shape: character, text: character }, NO_REGION));
    }
    return this.#plain.get(character);
  }

  #glyph({ shape, text }: Letter, region: Region): ShownGlyph | undefined {
    const source = this.#fontOf(shape, region);
    if (!source) return undefined;
    const font = this.#use(source);
    const code = font.use(source.glyph(shape.codePointAt(0) ?? 0), text);
    return { font, code: code.toString(16).padStart(4, '0') };
  }

  #thousandths(text: string): number {
    const known = this.#widths.get(text);
    if (known !== undefined) return known;
    const region = regionOf(text);
    let width = 0;
    if (text.length > 1 && ASCII.test(text)) {
      for (const character of text) width += this.#thousandths(character);
    } else {
      for (const { shape } of this.#letters(text, region)) width += this.#advance(shape, region);
    }
    if (this.#widths.size >= WIDTHS_KEPT_MAX) this.#widths.clear();
    this.#widths.set(text, width);
    return width;
  }

  #advance(shape: string, region: Region): number {
    const font = this.#fontOf(shape, region);
    if (!font) return 0;
    return (font.advance(font.glyph(shape.codePointAt(0) ?? 0)) * 1_000) / font.metrics.unitsPerEm;
  }

  /** A character alone stands for itself. */
  #inVisualOrder(text: string, region: Region): Iterable<Letter | string> {
    if (ASCII.test(text)) return text;
    const mirror = (letter: Letter, shape: string): Letter => ({ ...letter, shape });
    return visualOrder(this.#letters(text, region), (letter) => letter.text, mirror);
  }

  #letters(text: string, region: Region): Letter[] {
    const spelled = Array.from(text.normalize('NFC').replace(CONTROL, ' '), (character) =>
      INVISIBLE.test(character) || this.#fontOf(character, region) ? character : spell(character),
    );
    return joinArabic(spelled.join('')).filter(({ shape }) => !INVISIBLE.test(shape));
  }

  #fontOf(character: string, region: Region): Sfnt | undefined {
    return this.#book.find(character.codePointAt(0) ?? 0, this.#style, region);
  }
}

function spell(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
}
