import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { cidOf } from '@scriptorium/fonts/cff-cids';
import type { Sfnt } from '@scriptorium/fonts/sfnt';
import { subset } from '@scriptorium/fonts/subset';
import type { Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { ObjectSink } from '../write/update.ts';

const MAPPINGS_PER_BLOCK_MAX = 100;
/** The text of a glyph that another glyph's text includes: PDF/A requires one. A zero-width space shows nothing. */
const INVISIBLE = '\u200b';
/** /Flags: contains characters outside the standard Latin set (ISO 32000-2, table 121). */
const SYMBOLIC = 4;

/** The glyphs of one font that a document uses, and their Type 0 font objects. */
export class EmbeddedFont {
  readonly key: string;
  readonly #source: Sfnt;
  #filler: number | undefined;
  /** The text of each glyph. */
  readonly #texts = new Map<number, string>([[0, '']]);

  /** `key` is the name in resource dictionaries. */
  constructor(source: Sfnt, key: string) {
    this.#source = source;
    this.key = key;
  }

  /** Includes a glyph, and returns its code as four hexadecimal digits. */
  code(glyph: number): string {
    if (!this.#texts.has(glyph)) this.#texts.set(glyph, '');
    return cidOf(this.#source, glyph).toString(16).padStart(4, '0');
  }

  /** Sets the text of a glyph, and returns whether it is this text. The first text that is not empty stays. */
  claim(glyph: number, text: string): boolean {
    const known = this.#texts.get(glyph);
    if (!known) this.#texts.set(glyph, text);
    return !known || known === text;
  }

  /** The glyph of a character in the font. 0 if there is none. */
  nominal(character: string): number {
    return this.#source.glyph(character.codePointAt(0) ?? 0);
  }

  /** A glyph to show unseen: one that readers without /ActualText ignore too, or else `glyph`. */
  filler(glyph: number): number {
    this.#filler ??=
      Array.from('\u200c\u200d\u200b', (character) => this.nominal(character)).find(Boolean) ?? 0;
    return this.#filler || glyph;
  }

  /** Converts units of the font to thousandths of the font size. */
  thousandths(units: number): number {
    return (units * 1_000) / this.#source.metrics.unitsPerEm;
  }

  /** The width that the font states for a glyph, in units of the font. */
  advance(glyph: number): number {
    return this.#source.advance(glyph);
  }

  /**
   * Writes the font (ISO 32000-2, 9.7). Codes are the glyph numbers of the font, or the CIDs of a CFF font. Only PDF/A-1 needs
   * a list of its characters.
   */
  write(sink: ObjectSink, hasCidSet = false): Ref {
    const isCff = this.#source.has('CFF ');
    const name = literal.name(`${this.#tag()}+${this.#source.name}`);
    const program = subset(this.#source, this.#texts.keys());
    const length = isCff ? '/Subtype/CIDFontType0C' : `/Length1 ${program.length}`;
    const file = sink.add(literal.stream(`${length}/Filter/FlateDecode`, deflateSync(program)));
    const listed = hasCidSet ? `/CIDSet ${sink.add(literal.stream('', this.#cidSet()))}` : '';
    const descriptor = sink.add(this.#descriptor(name, `/FontFile${isCff ? 3 : 2} ${file}${listed}`));
    const descendant = sink.add(
      `<</Type/Font/Subtype/CIDFontType${isCff ? 0 : 2}/BaseFont${name}` +
        '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>' +
        `/FontDescriptor ${descriptor}/DW 0/W[${this.#widths()}]${isCff ? '' : '/CIDToGIDMap/Identity'}>>`,
    );
    const map = sink.add(
      literal.stream('/Filter/FlateDecode', deflateSync(Buffer.from(this.#toUnicode(), 'latin1'))),
    );
    const baseName = isCff ? `${name}-Identity-H` : name;
    return sink.add(
      `<</Type/Font/Subtype/Type0/BaseFont${baseName}/Encoding/Identity-H/DescendantFonts[${descendant}]/ToUnicode ${map}>>`,
    );
  }

  /** Six letters that distinguish subsets (9.9.2). */
  #tag(): string {
    const hash = createHash('sha256')
      .update([...this.#texts.keys()].join())
      .digest();
    return Array.from(hash.subarray(0, 6), (byte) => String.fromCharCode(0x41 + (byte % 26))).join('');
  }

  /** A bit for each character of the font, the highest one first (ISO 32000-1, table 124). */
  #cidSet(): Buffer {
    const cids = [...this.#texts.keys()].map((glyph) => cidOf(this.#source, glyph));
    const bits = Buffer.alloc((Math.max(...cids) >> 3) + 1);
    for (const cid of cids) bits[cid >> 3] = (bits[cid >> 3] ?? 0) | (0x80 >> (cid & 7));
    return bits;
  }

  #descriptor(name: string, file: string): string {
    const { box, ascent, descent } = this.#source.metrics;
    return (
      `<</Type/FontDescriptor/FontName${name}/Flags ${SYMBOLIC}/FontBBox[${box.map((units) => this.#scaled(units)).join(' ')}]` +
      `/ItalicAngle 0/Ascent ${this.#scaled(ascent)}/Descent ${this.#scaled(descent)}` +
      `/CapHeight ${this.#scaled(ascent)}/StemV 80${file}>>`
    );
  }

  #scaled(units: number): string {
    return literal.number(this.thousandths(units));
  }

  #widths(): string {
    const glyphs = [...this.#texts.keys()].sort((a, b) => cidOf(this.#source, a) - cidOf(this.#source, b));
    return glyphs
      .map((glyph) => `${cidOf(this.#source, glyph)}[${this.#scaled(this.advance(glyph))}]`)
      .join('');
  }

  /** Returns the text of each code (9.10.3). */
  #toUnicode(): string {
    const lines = [...this.#texts].flatMap(([glyph, text]) => {
      if (glyph === 0) return [];
      const utf16 = Buffer.from(text || INVISIBLE, 'utf16le')
        .swap16()
        .toString('hex');
      return `<${this.code(glyph)}> <${utf16}>`;
    });
    const blocks: string[] = [];
    for (let start = 0; start < lines.length; start += MAPPINGS_PER_BLOCK_MAX) {
      const block = lines.slice(start, start + MAPPINGS_PER_BLOCK_MAX);
      blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar\n`);
    }
    return (
      '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n' +
      '/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n' +
      '/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n' +
      `${blocks.join('')}endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend`
    );
  }
}
