import type { PdfDocument } from '../read/document.ts';
import type { Dict } from '../read/values.ts';
import type { Budget } from './budget.ts';
import { type Decoder, decoderOf } from './font-text.ts';
import { GAP, MAYBE_GAP } from './shown-text.ts';
import { codesOf, type FontWidths } from './text-width.ts';
import type { Operand } from './tokens.ts';

/** In thousandths of an em; a smaller one is kerning. */
const GAP_MIN = 200;

/** The text that a stream shows, in the order of its strings. */
export class ShownWords {
  /** Undefined as soon as a font does not map its codes to Unicode. */
  text: string | undefined = '';
  readonly fonts = new Set<Dict>();
  readonly #document: PdfDocument;
  readonly #budget: Budget;
  readonly #decoders = new Map<Dict, Decoder>();

  constructor(document: PdfDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
  }

  /** Reads what one operator shows: strings, and numbers that move the next one back. */
  read(items: readonly Operand[], font: FontWidths): void {
    let gap = this.text === '' ? '' : MAYBE_GAP;
    for (const item of items) {
      if (typeof item === 'number' && item < -GAP_MIN && this.text !== '') gap = GAP;
      if (!Buffer.isBuffer(item) || item.length === 0) continue;
      const text = this.#decoded(item, font);
      this.text = text === undefined || this.text === undefined ? undefined : this.text + gap + text;
      gap = '';
    }
  }

  #decoded(codes: Buffer, font: FontWidths): string | undefined {
    const { dict } = font;
    const known = dict && this.#decoders.get(dict);
    const decode = known ?? decoderOf(this.#document, dict ?? null, this.#budget);
    if (dict && !known) this.#decoders.set(dict, decode);
    if (dict) this.fonts.add(dict);
    return codesOf(codes, font).some(font.lacks) ? undefined : decode(codes);
  }
}
