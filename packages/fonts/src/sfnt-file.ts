import type { Sfnt } from './sfnt.ts';

/** A font file with the given tables of a font, in the order of their tags, without checksums (ISO/IEC 14496-22, 4.5). */
export function sfntFile(font: Sfnt, tags: readonly string[]): Buffer {
  const present = tags.filter((tag) => font.has(tag)).sort();
  const head = Buffer.alloc(12 + 16 * present.length);
  head.writeUInt32BE(font.has('CFF ') ? 0x4f54544f : 0x00010000, 0);
  head.writeUInt16BE(present.length, 4);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [index, tag] of present.entries()) {
    const table = font.read(tag);
    const at = 12 + 16 * index;
    head.write(tag, at, 'latin1');
    head.writeUInt32BE(offset, at + 8);
    head.writeUInt32BE(table.length, at + 12);
    const gap = -table.length & 3;
    parts.push(table, Buffer.alloc(gap));
    offset += table.length + gap;
  }
  return Buffer.concat(parts);
}

/** The bytes of a table in a font file. Empty if the file has no such table. */
export function tableIn(file: Buffer, tag: string): Buffer {
  const count = file.readUInt16BE(4);
  for (let at = 12; at < 12 + 16 * count; at += 16) {
    if (file.toString('latin1', at, at + 4) !== tag) continue;
    const offset = file.readUInt32BE(at + 8);
    return file.subarray(offset, offset + file.readUInt32BE(at + 12));
  }
  return Buffer.alloc(0);
}
