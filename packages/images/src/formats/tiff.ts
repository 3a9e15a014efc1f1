import { damaged, type PixelSize, truncated } from './refusal.ts';

const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  stripOffsets: 273,
  samples: 277,
  stripBytes: 279,
  tileOffsets: 324,
  tileBytes: 325,
} as const;
/** Bytes per value of the types used for sizes and offsets: SHORT and LONG. */
const VALUE_BYTES: ReadonlyMap<number, 2 | 4> = new Map([
  [3, 2],
  [4, 4],
]);
const UNCOMPRESSED = 1;

/** The size of the first page of a TIFF whose data is complete (TIFF 6.0 §2, §8). Throws ImageRefusal. */
export function readTiff(tiff: Buffer): PixelSize {
  const page = readPage(tiff);
  const one = (tag: number, otherwise = 0) => page(tag)[0] ?? otherwise;
  const size = { width: one(TAG.width), height: one(TAG.height) };
  if (size.width === 0 || size.height === 0) throw damaged('TIFF');
  const isTiled = page(TAG.tileOffsets).length > 0;
  const offsets = page(isTiled ? TAG.tileOffsets : TAG.stripOffsets);
  const bytes = page(isTiled ? TAG.tileBytes : TAG.stripBytes);
  if (offsets.length === 0 || offsets.length !== bytes.length) throw damaged('TIFF');
  if (offsets.some((offset, index) => offset + (bytes[index] ?? 0) > tiff.length)) throw truncated();
  const rowBytes = Math.ceil((size.width * one(TAG.samples, 1) * one(TAG.bits, 1)) / 8);
  const isPlain = one(TAG.compression, UNCOMPRESSED) === UNCOMPRESSED;
  if (isPlain && bytes.reduce((sum, count) => sum + count, 0) < rowBytes * size.height) throw truncated();
  return size;
}

/** The integers of the first page by tag. */
function readPage(tiff: Buffer): (tag: number) => number[] {
  const isLittle = tiff[0] === 0x49;
  const u16 = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const u32 = (at: number) => (isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  if (tiff.length < 8 || u32(4) + 2 > tiff.length) throw truncated();
  const first = u32(4) + 2;
  const end = first + 12 * u16(u32(4));
  if (end > tiff.length) throw truncated();
  const values = (at: number): number[] => {
    const each = VALUE_BYTES.get(u16(at + 2));
    if (each === undefined) throw damaged('TIFF');
    const count = u32(at + 4);
    const start = each * count <= 4 ? at + 8 : u32(at + 8);
    if (start + each * count > tiff.length) throw truncated();
    return Array.from({ length: count }, (_, index) =>
      each === 2 ? u16(start + 2 * index) : u32(start + 4 * index),
    );
  };
  return (tag) => {
    for (let at = first; at < end; at += 12) if (u16(at) === tag) return values(at);
    return [];
  };
}
