import type { Sfnt } from './sfnt.ts';

/** A font file with the given tables of a font, without checksums (ISO/IEC 14496-22, 4.5). */
export function sfntFile(font: Sfnt, tags: readonly string[]): Buffer {
  return writeSfnt(new Map(tags.filter((tag) => font.has(tag)).map((tag) => [tag, font.read(tag)])));
}

/** A font file with these tables, in the order of their tags, without checksums. */
export function writeSfnt(tables: ReadonlyMap<string, Buffer>): Buffer {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const head = Buffer.alloc(12 + 16 * sorted.length);
  head.writeUInt32BE(tables.has('CFF ') ? 0x4f54544f : 0x00010000, 0);
  head.writeUInt16BE(sorted.length, 4);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [index, [tag, table]] of sorted.entries()) {
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
