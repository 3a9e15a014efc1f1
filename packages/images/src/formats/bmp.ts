import { damaged, ImageRefusal, type PixelSize, truncated } from './refusal.ts';

const FILE_HEADER_BYTES = 14;
/** The header of OS/2, whose sizes are 16 bits wide. */
const CORE_HEADER_BYTES = 12;
const DEPTHS = new Set([1, 4, 8, 16, 24, 32]);
/** `biCompression`: plain rows, and run lengths, whose size is unknown in advance. */
const [PLAIN, RUN_LENGTHS] = [new Set([0, 3, 6]), new Set([1, 2])];

/** The size of a BMP that contains all of its rows. Throws ImageRefusal. */
export function readBmp(bmp: Buffer): PixelSize {
  if (bmp.length < FILE_HEADER_BYTES + 40) throw truncated();
  const isCore = bmp.readUInt32LE(FILE_HEADER_BYTES) === CORE_HEADER_BYTES;
  const size = isCore
    ? { width: bmp.readUInt16LE(18), height: bmp.readUInt16LE(20) }
    : { width: bmp.readInt32LE(18), height: Math.abs(bmp.readInt32LE(22)) };
  const depth = bmp.readUInt16LE(isCore ? 24 : 28);
  const compression = isCore ? 0 : bmp.readUInt32LE(30);
  if (size.width <= 0 || size.height === 0 || !DEPTHS.has(depth)) throw damaged('BMP');
  if (!PLAIN.has(compression) && !RUN_LENGTHS.has(compression))
    throw new ImageRefusal('is a BMP image with another format inside');
  const rowBytes = 4 * Math.ceil((size.width * depth) / 32);
  const dataBytes = PLAIN.has(compression) ? rowBytes * size.height : 1;
  if (bmp.readUInt32LE(10) + dataBytes > bmp.length) throw truncated();
  return size;
}
