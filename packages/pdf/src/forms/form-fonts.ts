import type { FontStyle } from '@scriptorium/fonts/font-book';
import { Budget } from '../changes/budget.ts';
import { decoderOf, hasProgram } from '../changes/font-text.ts';
import { widthsOf } from '../changes/text-width.ts';
import { TextFonts } from '../fonts/text-fonts.ts';
import type { PdfDocument } from '../read/document.ts';
import { type Dict, isName, Name, Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { Update } from '../write/update.ts';

/** A font for the looks of fields. */
export interface FormFont {
  /** The value of /Resources of looks with this font. */
  resources: string;
  /** The characters of a line that it does not show. */
  missingIn(text: string): readonly string[];
  /** Returns the width of a line at the size of one point. */
  width(text: string): number;
  /** Returns operators that show a line at the current position. */
  show(text: string, size: number): string;
}

const STANDARD =
  /^(?:Helvetica|Arial(?:MT)?|Times(?:NewRoman(?:PS)?(?:MT)?)?|Courier(?:New(?:PS)?(?:MT)?)?)(?:[-,](?:Roman|Regular|Bold(?:MT)?|Italic(?:MT)?|Oblique|BoldOblique|BoldItalic(?:MT)?))?$/;
const SUBSET = /^[A-Z]{6}\+/;
/** Letters of Hebrew, Arabic and other scripts from right to left. */
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Characters that are not shown as they are, one after the other. */
const NOT_PLAIN = /[\p{C}\p{M}]/u;
/** Other letters in the encoding that fonts have if they name none. */
const QUOTES: ReadonlySet<number> = new Set([0x27, 0x60]);
const HELVETICA = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';
const WIN_ANSI = /^[\x20-\x7e\xa0-\xff]*$/;

/** The style of the fonts of the host that look most like a font of this name. */
function styleOf(name: string): FontStyle {
  if (/cour|mono|consol|typewriter/i.test(name)) return 'mono';
  const isBold = /bold|black|heavy|demi/i.test(name);
  if (/times|serif(?!.*sans)|georgia|garamond|roman|minion|cambria|^ti/i.test(name) && !/sans/i.test(name))
    return isBold ? 'serifBold' : 'serif';
  return isBold ? 'sansBold' : 'sans';
}

/** The fonts of a form: its own where they have all letters of a text, and those of the host. */
export class FormFonts {
  readonly #update: Update;
  readonly #dict: Dict | undefined;
  /** Whether fonts of the host may be added. */
  readonly #isOpen: boolean;
  readonly #own = new Map<Dict, OwnFont | undefined>();
  readonly #hosted = new Map<FontStyle, HostFont>();
  readonly #budget = new Budget();
  #helvetica: Ref | undefined;

  /** After a signature, letters of a new font may be others than their text says, so none `isOpen`. */
  constructor(update: Update, form: Dict, isOpen: boolean) {
    const { document } = update;
    const resources = document.dict(form, 'DR');
    this.#update = update;
    this.#dict = resources && document.dict(resources, 'Font');
    this.#isOpen = isOpen;
  }

  /** A font for a text by the name of the form's; undefined if none may be used that has all of its letters. */
  of(name: string, text: string): FormFont | undefined {
    const { document } = this.#update;
    const dict = this.#dict && document.dict(this.#dict, name);
    const base = dict ? document.get(dict, 'BaseFont') : null;
    const style = styleOf(base instanceof Name ? base.text : name);
    const own = dict && this.#ownOf(dict, name, style);
    if (own?.covers(text)) return own;
    if (this.#isOpen) return this.#hostedOf(style);
    return WIN_ANSI.test(text) ? this.#plain() : undefined;
  }

  /** Embeds what the looks used. Call it last. */
  finish(): void {
    for (const { fonts, ref } of this.#hosted.values())
      this.#update.replace(ref, `<</Font<<${fonts.embed(this.#update)}>>>>`);
  }

  #ownOf(dict: Dict, name: string, style: FontStyle): OwnFont | undefined {
    if (!this.#own.has(dict)) {
      const { document } = this.#update;
      const value = this.#dict?.get(name);
      const codes = value instanceof Ref ? codesOf(document, dict, this.#budget) : undefined;
      const measured = this.#measuredBy(style);
      this.#own.set(
        dict,
        codes && new OwnFont(document, { dict, name, value: String(value), codes }, measured),
      );
    }
    return this.#own.get(dict);
  }

  #hostedOf(style: FontStyle): HostFont {
    const known = this.#hosted.get(style) ?? new HostFont(this.#update.reserve(), new TextFonts(style));
    this.#hosted.set(style, known);
    return known;
  }

  #plain(): FormFont {
    this.#helvetica ??= this.#update.add(HELVETICA);
    return {
      resources: `<</Font<</Helv ${this.#helvetica}>>>>`,
      missingIn: () => [],
      width: this.#measuredBy('sans'),
      show: (text, size) => `/Helv ${literal.number(size)} Tf ${shownCodes(Buffer.from(text, 'latin1'))}`,
    };
  }

  /** Widths of fonts that readers have: those of the host are as wide. */
  #measuredBy(style: FontStyle): (text: string) => number {
    const fonts = new TextFonts(style);
    return (text) => fonts.width(text, 1);
  }
}

class HostFont implements FormFont {
  readonly ref: Ref;
  readonly fonts: TextFonts;

  constructor(ref: Ref, fonts: TextFonts) {
    this.ref = ref;
    this.fonts = fonts;
  }

  get resources(): string {
    return String(this.ref);
  }

  missingIn(text: string): readonly string[] {
    return this.fonts.missingIn(text);
  }

  width(text: string): number {
    return this.fonts.width(text, 1);
  }

  show(text: string, size: number): string {
    return this.fonts.show(text, size);
  }
}

class OwnFont implements FormFont {
  readonly resources: string;
  readonly #name: string;
  readonly #codes: ReadonlyMap<string, number>;
  readonly #measured: (text: string) => number;
  readonly #widthOf: ((code: number) => number) | undefined;

  constructor(
    document: PdfDocument,
    {
      dict,
      name,
      value,
      codes,
    }: { dict: Dict; name: string; value: string; codes: ReadonlyMap<string, number> },
    measured: (text: string) => number,
  ) {
    this.#name = literal.name(name);
    this.resources = `<</Font<<${this.#name} ${value}>>>>`;
    this.#codes = codes;
    this.#measured = measured;
    this.#widthOf = dict.entries.has('Widths') ? widthsOf(document, dict).widthOf : undefined;
  }

  missingIn(): readonly string[] {
    return [];
  }

  covers(text: string): boolean {
    for (const character of text) if (!this.#codes.has(character)) return false;
    return true;
  }

  width(text: string): number {
    const widthOf = this.#widthOf;
    if (!widthOf) return this.#measured(text);
    let width = 0;
    for (const code of this.#bytes(text)) width += widthOf(code);
    return width;
  }

  show(text: string, size: number): string {
    return `${this.#name} ${literal.number(size)} Tf ${shownCodes(this.#bytes(text))}`;
  }

  #bytes(text: string): Buffer {
    return Buffer.from(Array.from(text, (character) => this.#codes.get(character) ?? 0));
  }
}

const shownCodes = (codes: Buffer): string => `<${codes.toString('hex')}> Tj`;

/**
 * The codes of the characters that a font of a form surely shows. Undefined for a font whose letters are not known. These are
 * composite ones, those with some of their letters only, and those that readers replace by fonts of other widths.
 */
function codesOf(document: PdfDocument, font: Dict, budget: Budget): Map<string, number> | undefined {
  const [type, base] = [document.get(font, 'Subtype'), document.get(font, 'BaseFont')];
  if (!['Type1', 'TrueType', 'MMType1'].some((name) => isName(type, name)) || !(base instanceof Name))
    return undefined;
  const isEmbedded = hasProgram(document, font);
  if (isEmbedded ? SUBSET.test(base.text) || !font.entries.has('Widths') : !STANDARD.test(base.text))
    return undefined;
  const decode = decoderOf(document, font, budget);
  const widths = font.entries.has('Widths') ? widthsOf(document, font) : undefined;
  const isNamed = document.get(font, 'Encoding') !== null;
  const codes = new Map<string, number>();
  for (let code = 0x20; code <= 0xff; code++) {
    if (widths?.lacks(code) || (!isNamed && QUOTES.has(code))) continue;
    const character = decode(Buffer.from([code]));
    if (character === undefined || [...character].length !== 1 || NOT_PLAIN.test(character)) continue;
    if (RIGHT_TO_LEFT.test(character)) continue;
    if (!codes.has(character)) codes.set(character, code);
  }
  return codes;
}
