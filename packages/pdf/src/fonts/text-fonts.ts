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
/** These select the shape of an adjacent character, and have no glyph of their own. */
const INVISIBLE = /\p{Join_Control}|\p{Variation_Selector}/u;
/** For characters that look the same in every region. */
const NO_REGION: Region = 2;
const CONTROL = /\p{Cc}/gu;

interface ShownGlyph {
  font: EmbeddedFont;
  /** Hexadecimal. */
  code: string;
}

/**
 * Fonts for one text style in a PDF. Each character uses a suitable font of the host; only the glyphs shown are embedded.
 * Text is given in logical order: lines with Hebrew or Arabic are converted to visual order, and Arabic letters are joined.
 * A character without a font is shown as `[U+1F58B]`.
 */
export class TextFonts {
  readonly #style: FontStyle;
  readonly #prefix: string;
  readonly #book: FontBook;
  readonly #used = new Map<Sfnt, EmbeddedFont>();
  readonly #widths = new Map<string, number>();
  /** Glyphs of characters that do not depend on adjacent ones. */
  readonly #plain = new Map<string, ShownGlyph | undefined>();

  /** `prefix` starts the resource names; each TextFonts of a content stream needs its own. */
  constructor(style: FontStyle = 'regular', prefix = 'F', book: FontBook = hostFonts()) {
    this.#style = style;
    this.#prefix = prefix;
    this.#book = book;
  }

  /** Returns the width of a line of text in points; `size` is the font size in points. */
  width(text: string, size: number): number {
    return (this.#thousandths(text) * size) / 1_000;
  }

  /** Returns operators that show a line of text at the current text position, for use between `BT` and `ET`. */
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

  /** Adds the fonts of all text shown, and returns the entries for the /Font resources. Call it last. */
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

  /** Yields strings for characters that represent themselves. */
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
