import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { cffSubset } from '@scriptorium/fonts/cff-subset';
import type { Sfnt } from '@scriptorium/fonts/sfnt';
import { trueTypeSubset } from '@scriptorium/fonts/truetype-subset';
import type { Ref } from '../read/values.ts';
import { literal } from '../write/literal.ts';
import type { ObjectSink } from '../write/update.ts';

const MAPPINGS_PER_BLOCK_MAX = 100;
/** /Flags: contains characters outside the standard Latin set (ISO 32000-2, table 121). */
const SYMBOLIC = 4;

/** The glyphs of one font that a document uses, and their Type 0 font objects. */
export class EmbeddedFont {
  readonly key: string;
  readonly #source: Sfnt;
  readonly #glyphs = [0];
  readonly #texts = [''];
  readonly #codes = new Map<string, number>();

  /** `key` is the name in resource dictionaries. */
  constructor(source: Sfnt, key: string) {
    this.#source = source;
    this.key = key;
  }

  /** Returns the code of a glyph for a text; a glyph has one code for each of its texts. */
  use(glyph: number, text: string): number {
    const key = `${glyph} ${text}`;
    const known = this.#codes.get(key);
    if (known !== undefined) return known;
    const code = this.#glyphs.push(glyph) - 1;
    this.#texts.push(text);
    this.#codes.set(key, code);
    return code;
  }

  /** Writes the font (ISO 32000-2, 9.7). Codes are two bytes long and equal the glyph numbers in the subset. */
  write(sink: ObjectSink): Ref {
    const isCff = this.#source.has('CFF ');
    const name = literal.name(`${this.#tag()}+${this.#source.name}`);
    const program = isCff
      ? cffSubset(this.#source, this.#glyphs)
      : trueTypeSubset(this.#source, this.#glyphs);
    const length = isCff ? '/Subtype/CIDFontType0C' : `/Length1 ${program.length}`;
    const file = sink.add(literal.stream(`${length}/Filter/FlateDecode`, deflateSync(program)));
    const descriptor = sink.add(this.#descriptor(name, `/FontFile${isCff ? 3 : 2} ${file}`));
    const descendant = sink.add(
      `<</Type/Font/Subtype/CIDFontType${isCff ? 0 : 2}/BaseFont${name}` +
        '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>' +
        `/FontDescriptor ${descriptor}/DW 0/W[0[${this.#widths()}]]${isCff ? '' : '/CIDToGIDMap/Identity'}>>`,
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
    const hash = createHash('sha256').update(this.#glyphs.join()).digest();
    return Array.from(hash.subarray(0, 6), (byte) => String.fromCharCode(0x41 + (byte % 26))).join('');
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
    return literal.number((units * 1000) / this.#source.metrics.unitsPerEm);
  }

  #widths(): string {
    return this.#glyphs.map((glyph) => this.#scaled(this.#source.advance(glyph))).join(' ');
  }

  /** Returns the text of each code (9.10.3). */
  #toUnicode(): string {
    const lines = this.#texts.map((text, code) => {
      const utf16 = Buffer.from(text, 'utf16le').swap16().toString('hex');
      return `<${code.toString(16).padStart(4, '0')}> <${utf16}>`;
    });
    const blocks: string[] = [];
    for (let start = 1; start < lines.length; start += MAPPINGS_PER_BLOCK_MAX) {
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
