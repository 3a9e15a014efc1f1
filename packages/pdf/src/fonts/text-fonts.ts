import { type FontBook, type FontStyle, hostFonts } from '@scriptorium/fonts/font-book';
import type { Sfnt } from '@scriptorium/fonts/sfnt';
import { type TextLine, textLine } from '@scriptorium/fonts/text-line';
import type { ObjectSink } from '../write/update.ts';
import { EmbeddedFont } from './embedded-font.ts';
import { showLine } from './show-line.ts';

const LINES_KEPT_MAX = 2_000;

/**
 * Fonts for one text style in a PDF. Each letter uses a suitable font of the host; only the glyphs shown are embedded.
 * Text is given in logical order, and is shaped and ordered line by line. A character without a font is shown as
 * `[U+1F58B]`.
 */
export class TextFonts {
  readonly #style: FontStyle;
  readonly #prefix: string;
  readonly #book: FontBook;
  readonly #used = new Map<Sfnt, EmbeddedFont>();
  readonly #lines = new Map<string, TextLine>();
  readonly #missing = new Set<string>();

  /** `prefix` starts the resource names; each TextFonts of a content stream needs its own. */
  constructor(style: FontStyle = 'regular', prefix = 'F', book: FontBook = hostFonts()) {
    this.#style = style;
    this.#prefix = prefix;
    this.#book = book;
  }

  /** The characters of the text shown so far that no font of the host has. */
  get missing(): ReadonlySet<string> {
    return this.#missing;
  }

  /** The characters of a line that no font of the host has. */
  missingIn(text: string): readonly string[] {
    return [...this.#line(text).missing];
  }

  /** Returns the width of a line of text in points; `size` is the font size in points. */
  width(text: string, size: number): number {
    return (this.#line(text).width * size) / 1_000;
  }

  /** Returns operators that show a line of text at the current text position, for use between `BT` and `ET`. */
  show(text: string, size: number): string {
    const line = this.#line(text);
    for (const character of line.missing) this.#missing.add(character);
    return showLine(line, size, (font) => this.#use(font));
  }

  /**
   * Adds the fonts of all text shown, and returns the entries for the /Font resources. Call it last. `hasCidSet` is for
   * PDF/A-1.
   */
  embed(sink: ObjectSink, { hasCidSet = false } = {}): string {
    return [...this.#used.values()].map((font) => `/${font.key} ${font.write(sink, hasCidSet)}`).join('');
  }

  #line(text: string): TextLine {
    const known = this.#lines.get(text);
    if (known) return known;
    const line = textLine(text, this.#style, this.#book);
    if (this.#lines.size >= LINES_KEPT_MAX) this.#lines.clear();
    this.#lines.set(text, line);
    return line;
  }

  #use(source: Sfnt): EmbeddedFont {
    const known = this.#used.get(source);
    if (known) return known;
    const font = new EmbeddedFont(source, `${this.#prefix}${this.#used.size + 1}`);
    this.#used.set(source, font);
    return font;
  }
}
