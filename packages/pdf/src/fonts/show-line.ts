import type { Cluster, TextLine } from '@scriptorium/fonts/text-line';
import { literal } from '../write/literal.ts';
import type { EmbeddedFont } from './embedded-font.ts';

/** Thousandths of the font size. Smaller moves are rounding. */
const MOVE_MIN = 0.05;

/**
 * Returns operators that show a shaped line at the current text position (ISO 32000-2, 9.4.3). Glyphs move by numbers in
 * TJ, and up or down by the text rise. Where glyphs do not have the text of their cluster, the text is an /ActualText
 * (14.9.4).
 */
export function showLine(
  { clusters }: TextLine,
  size: number,
  embedded: (font: Cluster['font']) => EmbeddedFont,
): string {
  const writer = new LineWriter(size);
  for (const cluster of clusters) {
    const font = embedded(cluster.font);
    writer.useFont(font);
    if (hasOwnText(font, cluster)) for (const glyph of cluster.glyphs) writer.glyph(font, glyph);
    else showReplaced(writer, font, cluster);
  }
  return writer.finish();
}

/**
 * Poppler takes the start of the first glyph and the end of the last as the place of an /ActualText. It reverses the characters
 * of one from right to left. So marks at an edge get an invisible glyph beside them, and each further character from right to
 * left gets one of its own.
 */
function showReplaced(
  writer: LineWriter,
  font: EmbeddedFont,
  { text, glyphs, isRightToLeft }: Cluster,
): void {
  const [first] = glyphs;
  const last = glyphs.at(-1);
  if (!first || !last) return;
  const [base = '', ...more] = isRightToLeft ? Array.from(text) : [text];
  for (const character of more.reverse()) {
    writer.begin(character);
    writer.invisible(font, font.filler(first.glyph));
    writer.end();
  }
  writer.begin(base);
  if (isMoved(first)) writer.invisible(font, font.filler(first.glyph));
  for (const glyph of glyphs) writer.glyph(font, glyph);
  if (isMoved(last)) writer.invisible(font, font.filler(last.glyph));
  writer.end();
}

const isMoved = ({ advance, dx }: Glyph): boolean => advance === 0 || dx !== 0;

type Glyph = Cluster['glyphs'][number];

/** Gives the glyphs of a cluster its text, and returns whether a reader of the glyphs gets exactly this text. */
function hasOwnText(font: EmbeddedFont, { text, glyphs, isRightToLeft }: Cluster): boolean {
  const [first, ...more] = glyphs;
  if (first && more.length === 0 && first.dy === 0) {
    return font.claim(first.glyph, text) && (!isRightToLeft || Array.from(text).length === 1);
  }
  let rest = text;
  const unnamed = new Set(glyphs.map(({ glyph }) => glyph));
  for (const character of text) {
    const nominal = font.nominal(character);
    if (!unnamed.delete(nominal)) continue;
    font.claim(nominal, character);
    rest = rest.replace(character, '');
  }
  const [next] = unnamed;
  if (next !== undefined && rest !== '') font.claim(next, rest);
  return false;
}

/** Collects glyphs into as few operators as possible. */
class LineWriter {
  readonly #size: number;
  readonly #operators: string[] = [];
  #font: EmbeddedFont | undefined;
  #rise = 0;
  /** The array of the next TJ, without brackets, and the open string at its end. */
  #array = '';
  #codes = '';
  /** Thousandths to move to the right before the next glyph. */
  #move = 0;

  constructor(size: number) {
    this.#size = size;
  }

  useFont(font: EmbeddedFont): void {
    if (font === this.#font) return;
    this.#flush();
    this.#font = font;
    this.#operators.push(`/${font.key} ${literal.number(this.#size)} Tf`);
  }

  begin(text: string): void {
    this.#flush();
    const utf16 = Buffer.from(text, 'utf16le').swap16().toString('hex');
    this.#operators.push(`/Span<</ActualText<feff${utf16}>>>BDC`);
  }

  end(): void {
    this.#flush();
    this.#operators.push('EMC');
  }

  glyph(font: EmbeddedFont, { glyph, advance, dx, dy }: Glyph): void {
    const rise = (font.thousandths(dy) * this.#size) / 1_000;
    if (rise !== this.#rise) {
      this.#flush();
      this.#rise = rise;
      this.#operators.push(`${literal.number(rise)} Ts`);
    }
    this.#moveBy(font.thousandths(dx));
    this.#codes += font.code(glyph);
    this.#move = font.thousandths(advance - dx - font.advance(glyph));
  }

  /** Shows a glyph that has nearly no width and no color. */
  invisible(font: EmbeddedFont, glyph: number): void {
    this.#moveBy(0);
    this.#flush();
    this.#operators.push(`3 Tr 1 Tz<${font.code(glyph)}>Tj 100 Tz 0 Tr`);
    this.#move = font.thousandths(font.advance(glyph)) / -100;
  }

  finish(): string {
    this.#flush();
    if (this.#rise !== 0) this.#operators.push('0 Ts');
    return this.#operators.join(' ');
  }

  #moveBy(thousandths: number): void {
    const move = this.#move + thousandths;
    this.#move = 0;
    if (Math.abs(move) < MOVE_MIN) return;
    this.#closeString();
    this.#array += literal.number(-move);
  }

  #closeString(): void {
    if (this.#codes !== '') this.#array += `<${this.#codes}>`;
    this.#codes = '';
  }

  #flush(): void {
    this.#closeString();
    if (this.#array === '') return;
    this.#operators.push(/^<[^<]*>$/.test(this.#array) ? `${this.#array}Tj` : `[${this.#array}]TJ`);
    this.#array = '';
  }
}
