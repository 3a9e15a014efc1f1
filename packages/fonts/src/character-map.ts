/** Returns the glyph of a code point. 0 if there is none. */
export type CharacterMap = (codePoint: number) => number;

/** Reads the Unicode map of a `cmap` table: all of Unicode (format 12), or its first plane (format 4). */
export function readCharacterMap(cmap: Buffer): CharacterMap {
  const places = new Map<number, number>();
  for (let record = 0; cmap.length > 0 && record < cmap.readUInt16BE(2); record++) {
    const at = 4 + 8 * record;
    const platform = cmap.readUInt16BE(at);
    const encoding = cmap.readUInt16BE(at + 2);
    if (platform !== 0 && (platform !== 3 || (encoding !== 1 && encoding !== 10))) continue;
    const offset = cmap.readUInt32BE(at + 4);
    places.set(cmap.readUInt16BE(offset), offset);
  }
  const whole = places.get(12);
  if (whole !== undefined) return segmentedCoverage(cmap.subarray(whole));
  const plane = places.get(4);
  if (plane !== undefined) return segmentMapping(cmap.subarray(plane));
  return () => 0;
}

/** Index of the first of `count` items whose end is not before `codePoint`. */
function firstEnding(count: number, codePoint: number, endOf: (item: number) => number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(middle) < codePoint) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Format 12. */
function segmentedCoverage(table: Buffer): CharacterMap {
  const count = table.readUInt32BE(12);
  return (codePoint) => {
    const group = firstEnding(count, codePoint, (item) => table.readUInt32BE(16 + 12 * item + 4));
    if (group === count) return 0;
    const start = table.readUInt32BE(16 + 12 * group);
    return codePoint < start ? 0 : table.readUInt32BE(16 + 12 * group + 8) + codePoint - start;
  };
}

/** Format 4. */
function segmentMapping(table: Buffer): CharacterMap {
  const doubled = table.readUInt16BE(6);
  const count = doubled / 2;
  return (codePoint) => {
    if (codePoint > 0xffff) return 0;
    const segment = firstEnding(count, codePoint, (item) => table.readUInt16BE(14 + 2 * item));
    if (segment === count) return 0;
    const start = table.readUInt16BE(16 + doubled + 2 * segment);
    if (codePoint < start) return 0;
    const delta = table.readUInt16BE(16 + 2 * doubled + 2 * segment);
    const rangeAt = 16 + 3 * doubled + 2 * segment;
    const range = table.readUInt16BE(rangeAt);
    if (range === 0) return (codePoint + delta) & 0xffff;
    const glyph = table.readUInt16BE(rangeAt + range + 2 * (codePoint - start));
    return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
  };
}
