import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Ref } from '../pdf/read/values.ts';
import { pdfNumbers, pdfStream } from '../pdf/write/serialise.ts';
import type { ObjectSink } from '../pdf/write/update.ts';
import type { Subset } from './subset.ts';

/** Characters that one block of a CMap may have (Adobe Technical Note 5014). */
const BLOCK = 100;
const hex = (value: number): string => value.toString(16).padStart(4, '0').toUpperCase();

/** Nonsymbolic would need an encoding of Adobe's (ISO 32000-2, table 121). */
const SYMBOLIC = 4;

/** Six letters that tell one subset from another (ISO 32000-2, 9.9.2). */
function tagOf(subset: Subset): string {
  const digest = createHash('sha256').update(subset.glyphs.join(' ')).digest();
  return String.fromCharCode(...[...digest.subarray(0, 6)].map((byte) => 65 + (byte % 26)));
}

/** What the codes mean, so that text can be searched and copied (ISO 32000-2, 9.10.3). */
function toUnicode(meanings: ReadonlyMap<number, string>): Buffer {
  const lines = [...meanings].map(([code, text]) => {
    const units = Array.from({ length: text.length }, (_, index) => hex(text.charCodeAt(index)));
    return `<${hex(code)}> <${units.join('')}>`;
  });
  const blocks: string[] = [];
  for (let at = 0; at < lines.length; at += BLOCK) {
    const block = lines.slice(at, at + BLOCK);
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar\n`);
  }
  return Buffer.from(
    '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n' +
      '/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n' +
      '/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n' +
      `1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n${blocks.join('')}` +
      'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend',
  );
}

const packed = (keys: string, data: Buffer): Buffer =>
  pdfStream(`${keys}/Filter/FlateDecode`, deflateSync(data));

/** Adds a font of these glyphs: Type 0, Identity-H, two bytes a glyph (ISO 32000-2, 9.7). */
export function embedFont(sink: ObjectSink, subset: Subset, meanings: ReadonlyMap<number, string>): Ref {
  const file = subset.write();
  const { font } = subset;
  const name = `/${tagOf(subset)}+${font.name}`;
  const fileRef = sink.add(packed(`/Length1 ${file.length}`, file));
  const descriptor = sink.add(
    `<</Type/FontDescriptor/FontName${name}/Flags ${SYMBOLIC}/FontBBox${pdfNumbers(font.box)}/ItalicAngle 0` +
      `/Ascent ${font.ascent}/Descent ${font.descent}/CapHeight ${font.ascent}/StemV 80/FontFile2 ${fileRef}>>`,
  );
  const widths = pdfNumbers(subset.glyphs.map((glyph) => font.width(glyph)));
  const descendant = sink.add(
    `<</Type/Font/Subtype/CIDFontType2/BaseFont${name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>` +
      `/FontDescriptor ${descriptor}/CIDToGIDMap/Identity/DW 1000/W[0${widths}]>>`,
  );
  const unicode = sink.add(packed('', toUnicode(meanings)));
  return sink.add(
    `<</Type/Font/Subtype/Type0/BaseFont${name}/Encoding/Identity-H/DescendantFonts[${descendant}]/ToUnicode ${unicode}>>`,
  );
}
