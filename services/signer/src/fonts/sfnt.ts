/** A font file's tables by their tags (ISO/IEC 14496-22, 4.3). */
export type Tables = ReadonlyMap<string, Buffer>;

const TTC = 0x74746366;

/** The tables of a font file; of a collection those of its first font. Undefined where it is no such file. */
export function readTables(file: Buffer): Tables | undefined {
  if (file.length < 16) return undefined;
  const start = file.readUInt32BE(0) === TTC ? file.readUInt32BE(12) : 0;
  if (start + 12 > file.length) return undefined;
  const tables = new Map<string, Buffer>();
  const count = file.readUInt16BE(start + 4);
  for (let index = 0; index < count; index++) {
    const record = start + 12 + 16 * index;
    if (record + 16 > file.length) return undefined;
    const offset = file.readUInt32BE(record + 8);
    const length = file.readUInt32BE(record + 12);
    if (offset + length > file.length) return undefined;
    tables.set(file.toString('latin1', record, record + 4), file.subarray(offset, offset + length));
  }
  return tables;
}

const aligned = (length: number): number => (length + 3) & ~3;

function checksum(table: Buffer): number {
  const padded =
    table.length % 4 === 0 ? table : Buffer.concat([table, Buffer.alloc(4 - (table.length % 4))]);
  let sum = 0;
  for (let at = 0; at < padded.length; at += 4) sum = (sum + padded.readUInt32BE(at)) >>> 0;
  return sum;
}

/** A TrueType file of these tables. */
export function writeTables(tables: readonly (readonly [string, Buffer])[]): Buffer {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const selector = Math.floor(Math.log2(sorted.length));
  const head = Buffer.alloc(12 + 16 * sorted.length);
  head.writeUInt32BE(0x00010000, 0);
  head.writeUInt16BE(sorted.length, 4);
  head.writeUInt16BE(16 * 2 ** selector, 6);
  head.writeUInt16BE(selector, 8);
  head.writeUInt16BE(16 * (sorted.length - 2 ** selector), 10);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [index, [tag, table]] of sorted.entries()) {
    const record = 12 + 16 * index;
    head.write(tag, record, 'latin1');
    head.writeUInt32BE(checksum(table), record + 4);
    head.writeUInt32BE(offset, record + 8);
    head.writeUInt32BE(table.length, record + 12);
    parts.push(table, Buffer.alloc(aligned(table.length) - table.length));
    offset += aligned(table.length);
  }
  return Buffer.concat(parts);
}
