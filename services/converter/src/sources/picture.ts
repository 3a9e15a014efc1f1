import { BOUNDS } from '@scriptorium/shared/ooxml/bounds';

export type PictureKind = 'png' | 'jpeg' | 'gif' | 'bmp' | 'tiff' | 'webp' | 'emf' | 'wmf' | 'svm' | 'dib';

/** What the header of a picture says; metafiles have no pixels. */
export interface PictureHeader {
  kind: PictureKind;
  pixels: number;
}

const TIFF_WIDTH = 0x100;
const TIFF_HEIGHT = 0x101;

type Reader = (bytes: Buffer) => number | undefined;

function pngPixels(bytes: Buffer): number | undefined {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
}

/** Of the first frame header (ITU-T T.81 §B.2.2), found by the lengths of the segments before it. */
function jpegPixels(bytes: Buffer): number | undefined {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7);
    if (marker === 0xff) at++;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

function gifPixels(bytes: Buffer): number | undefined {
  return bytes.length < 13 ? undefined : bytes.readUInt16LE(6) * bytes.readUInt16LE(8);
}

/** The pixels of a bitmap header (BITMAPINFOHEADER, or the older core header) at an offset. */
function dibPixelsAt(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 16) return undefined;
  const size = bytes.readUInt32LE(at);
  if (size === 12) return bytes.readUInt16LE(at + 4) * bytes.readUInt16LE(at + 6);
  if (size < 16 || size > 124) return undefined;
  return Math.abs(bytes.readInt32LE(at + 4)) * Math.abs(bytes.readInt32LE(at + 8));
}

/** Of the first directory (TIFF 6.0 §2): LibreOffice shows that page. */
function tiffPixels(bytes: Buffer): number | undefined {
  const isLittle = bytes[0] === 0x49;
  const u16 = (at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const u32 = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (bytes.length < 8 || u32(4) + 2 > bytes.length) return undefined;
  const start = u32(4) + 2;
  const sizes = new Map<number, number>();
  for (let i = 0, at = start; i < u16(start - 2) && at + 12 <= bytes.length; i++, at += 12)
    sizes.set(u16(at), u16(at + 2) === 3 ? u16(at + 8) : u32(at + 8));
  const [width, height] = [sizes.get(TIFF_WIDTH), sizes.get(TIFF_HEIGHT)];
  return width === undefined || height === undefined ? undefined : width * height;
}

/** WebP container specification: the three kinds of a first chunk. */
function webpPixels(bytes: Buffer): number | undefined {
  if (bytes.length < 30) return undefined;
  const chunk = bytes.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return (bytes.readUIntLE(24, 3) + 1) * (bytes.readUIntLE(27, 3) + 1);
  if (chunk === 'VP8 ') return (bytes.readUInt16LE(26) & 0x3fff) * (bytes.readUInt16LE(28) & 0x3fff);
  if (chunk !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return ((bits & 0x3fff) + 1) * (((bits >> 14) & 0x3fff) + 1);
}

function emfPixels(bytes: Buffer): number | undefined {
  return bytes.toString('latin1', 40, 44) === ' EMF' ? 0 : undefined;
}

const SIGNATURES: readonly (readonly [signature: string, kind: PictureKind, read: Reader])[] = [
  ['\x89PNG\r\n\x1a\n', 'png', pngPixels],
  ['\xff\xd8\xff', 'jpeg', jpegPixels],
  ['GIF87a', 'gif', gifPixels],
  ['GIF89a', 'gif', gifPixels],
  ['BM', 'bmp', (bytes) => dibPixelsAt(bytes, 14)],
  ['II*\0', 'tiff', tiffPixels],
  ['MM\0*', 'tiff', tiffPixels],
  ['RIFF', 'webp', webpPixels],
  ['\x01\0\0\0', 'emf', emfPixels],
  ['\xd7\xcd\xc6\x9a', 'wmf', () => 0],
  ['\x01\0\x09\0', 'wmf', () => 0],
  ['\x02\0\x09\0', 'wmf', () => 0],
  ['VCLMTF', 'svm', () => 0],
  ['\x28\0\0\0', 'dib', (bytes) => dibPixelsAt(bytes, 0)],
];

/**
 * What a picture is by its own bytes, whatever it is called; undefined where it is none of those that are let pass, which
 * SVG is not: it can hold links. The header alone is read, nothing is decoded.
 */
export function readPictureHeader(bytes: Buffer): PictureHeader | undefined {
  const start = bytes.toString('latin1', 0, 8);
  const found = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (found === undefined) return undefined;
  const [, kind, read] = found;
  const pixels = read(bytes);
  return pixels === undefined ? undefined : { kind, pixels };
}

export function isTooLarge({ pixels }: PictureHeader): boolean {
  return pixels > BOUNDS.imagePixelsMax;
}

/** Whether a file that is no known picture looks like an SVG one, packed or not. */
export function looksLikeSvg(bytes: Buffer): boolean {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return true;
  return /<(?:\?xml|!DOCTYPE|svg|!--|\w+:svg)/i.test(bytes.toString('latin1', 0, 512).replaceAll('\0', ''));
}
