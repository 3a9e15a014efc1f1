/** The pixels that a decoder of each format would produce, by the headers alone. Undefined if they are invalid. */
export type PixelCount = (bytes: Buffer) => number | undefined;

/** Each frame costs a reader memory, however small it is. */
const FRAME_PIXELS_MIN = 4_096;
/** A progressive JPEG is decoded once per scan; encoders write about ten. */
const SCANS_FREE = 16;

function product(width: number, height: number): number | undefined {
  return width > 0 && height > 0 ? width * height : undefined;
}

/** ISO/IEC 15948 §11.2.2. */
export const pngPixels: PixelCount = (bytes) => {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return product(bytes.readUInt32BE(16), bytes.readUInt32BE(20));
};

/** ITU-T T.81 Annex B. */
export const jpegPixels: PixelCount = (bytes) => {
  let pixels = 0;
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) {
      at++;
      continue;
    }
    const marker = bytes[at + 1] ?? 0;
    const isAlone = marker === 0xff || marker <= 1 || (marker >= 0xd0 && marker <= 0xd8);
    if (isAlone) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0xda) return pixels > 0 ? pixels * Math.ceil(scans(bytes, at) / SCANS_FREE) : undefined;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      pixels = Math.max(pixels, bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7));
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return pixels > 0 ? pixels : undefined;
};

/** In compressed data 0xff is followed by 0 or a restart marker, so this finds only the headers of scans. */
function scans(bytes: Buffer, from: number): number {
  let count = 0;
  const header = Buffer.of(0xff, 0xda);
  for (let at = bytes.indexOf(header, from); at !== -1; at = bytes.indexOf(header, at + 2)) count++;
  return count;
}

/** GIF89a §18–20: the screen and each frame. */
export const gifPixels: PixelCount = (bytes) => {
  if (bytes.length < 13) return undefined;
  const screen = product(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  let pixels = 0;
  let at = 13 + colorTableBytes(bytes[10] ?? 0);
  while (at < bytes.length && bytes[at] !== 0x3b) {
    if (bytes[at] === 0x2c) {
      if (at + 10 > bytes.length) break;
      const frame = bytes.readUInt16LE(at + 5) * bytes.readUInt16LE(at + 7);
      pixels += Math.max(frame, FRAME_PIXELS_MIN);
      at += 11 + colorTableBytes(bytes[at + 9] ?? 0);
    } else if (bytes[at] === 0x21) at += 2;
    else break;
    while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
    at++;
  }
  return pixels === 0 ? undefined : Math.max(screen ?? 0, pixels);
};

function colorTableBytes(flags: number): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}

/** A Windows or OS/2 header. */
export const bmpPixels: PixelCount = (bytes) => (bytes.length < 54 ? undefined : bitmapPixels(bytes, 14));

/** The pixels that a bitmap header declares. A negative height means that the rows start at the top. */
export function bitmapPixels(bytes: Buffer, at: number): number | undefined {
  if (at + 16 > bytes.length) return undefined;
  if (bytes.readUInt32LE(at) === 12) return product(bytes.readUInt16LE(at + 4), bytes.readUInt16LE(at + 6));
  return product(Math.abs(bytes.readInt32LE(at + 4)), Math.abs(bytes.readInt32LE(at + 8)));
}

const [TIFF_WIDTH, TIFF_HEIGHT, TIFF_SHORT] = [256, 257, 3];

/** TIFF 6.0 §2: the sum over its pages. Directories that share bytes could take hours to read and are invalid. */
export const tiffPixels: PixelCount = (bytes) => {
  const isLittle = bytes[0] === 0x49;
  const u16 = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const u32 = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (bytes.length < 8) return undefined;
  const seen = new Set<number>();
  let pixels = 0;
  let directoryBytes = 0;
  for (let page = u32(4); page !== 0 && page + 2 <= bytes.length && !seen.has(page); ) {
    seen.add(page);
    const end = page + 2 + 12 * u16(page);
    if (end > bytes.length) break;
    directoryBytes += end - page;
    if (directoryBytes > bytes.length) return undefined;
    const size = { width: 0, height: 0 };
    for (let at = page + 2; at < end; at += 12) {
      const value = u16(at + 2) === TIFF_SHORT ? u16(at + 8) : u32(at + 8);
      if (u16(at) === TIFF_WIDTH) size.width = value;
      if (u16(at) === TIFF_HEIGHT) size.height = value;
    }
    pixels += Math.max(size.width * size.height, FRAME_PIXELS_MIN * Math.min(size.width, 1));
    page = end + 4 <= bytes.length ? u32(end) : 0;
  }
  return pixels > 0 ? pixels : undefined;
};

/** RFC 9649 §2: the canvas, once per frame. */
export const webpPixels: PixelCount = (bytes) => {
  let largest = 0;
  let frames = 0;
  for (let at = 12; at + 18 <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    const data = at + 8;
    if (id === 'ANMF') frames++;
    if (id === 'VP8X')
      largest = Math.max(largest, (bytes.readUIntLE(data + 4, 3) + 1) * (bytes.readUIntLE(data + 7, 3) + 1));
    if (id === 'VP8 ')
      largest = Math.max(
        largest,
        (bytes.readUInt16LE(data + 6) & 0x3fff) * (bytes.readUInt16LE(data + 8) & 0x3fff),
      );
    if (id === 'VP8L') {
      const sizes = bytes.readUInt32LE(data + 1);
      largest = Math.max(largest, ((sizes & 0x3fff) + 1) * (((sizes >>> 14) & 0x3fff) + 1));
    }
    const size = bytes.readUInt32LE(at + 4);
    at = data + size + (size & 1);
  }
  return largest === 0 ? undefined : largest * Math.max(frames, 1);
};
