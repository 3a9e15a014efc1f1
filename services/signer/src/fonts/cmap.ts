/** The glyph of a code point; 0 where the font has none. */
export type GlyphOf = (codePoint: number) => number;

/** Encodings that count in Unicode, the widest first (ISO/IEC 14496-22, 5.2.1). */
const ENCODINGS = ['3/10', '0/6', '0/4', '3/1', '0/3', '0/2', '0/1', '0/0'];

/** Reads the best Unicode subtable of a `cmap` table; undefined where there is none of format 4 or 12. */
export function readCmap(table: Buffer): GlyphOf | undefined {
  const found = new Map<string, number>();
  const count = table.readUInt16BE(2);
  for (let index = 0; index < count; index++) {
    const at = 4 + 8 * index;
    found.set(`${table.readUInt16BE(at)}/${table.readUInt16BE(at + 2)}`, table.readUInt32BE(at + 4));
  }
  for (const encoding of ENCODINGS) {
    const offset = found.get(encoding);
    if (offset === undefined) continue;
    const format = table.readUInt16BE(offset);
    if (format === 12) return format12(table.subarray(offset));
    if (format === 4) return format4(table.subarray(offset));
  }
  return undefined;
}

function format12(table: Buffer): GlyphOf {
  const groups = table.readUInt32BE(12);
  return (codePoint) => {
    let low = 0;
    let high = groups - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const at = 16 + 12 * middle;
      const first = table.readUInt32BE(at);
      if (codePoint < first) high = middle - 1;
      else if (codePoint > table.readUInt32BE(at + 4)) low = middle + 1;
      else return table.readUInt32BE(at + 8) + (codePoint - first);
    }
    return 0;
  };
}

function format4(table: Buffer): GlyphOf {
  const bytes = table.readUInt16BE(6);
  const segments = bytes / 2;
  const starts = 14 + bytes + 2;
  return (codePoint) => {
    if (codePoint > 0xffff) return 0;
    for (let segment = 0; segment < segments; segment++) {
      if (codePoint > table.readUInt16BE(14 + 2 * segment)) continue;
      const first = table.readUInt16BE(starts + 2 * segment);
      if (codePoint < first) return 0;
      const delta = table.readUInt16BE(starts + bytes + 2 * segment);
      const at = starts + 2 * bytes + 2 * segment;
      const range = table.readUInt16BE(at);
      if (range === 0) return (codePoint + delta) & 0xffff;
      const place = at + range + 2 * (codePoint - first);
      const glyph = place + 2 <= table.length ? table.readUInt16BE(place) : 0;
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    }
    return 0;
  };
}
