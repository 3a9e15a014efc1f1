import { BOUNDS } from '@scriptorium/ooxml/bounds';
import { hasForeignImage } from './emf-plus.ts';
import { formatOf, isRaster, pixelsOf } from './formats.ts';
import { bitmapPixels } from './pixels.ts';

/** Maximum depth of nested metafiles. */
const NESTING_MAX = 2;

const EMF_HEADER_BYTES_MIN = 88;
const EMR_EOF = 14;
const EMR_GDICOMMENT = 70;
/** MS-EMF §2.3.3.4: comments that contain a whole picture in another format: EPS, PDF, WMF. */
const PICTURE_COMMENTS = new Set([0x40000004, 0x80000001]);

/**
 * EMF records with a bitmap, and the offset at which each declares where the bitmap header is (MS-EMF §2.3.1,
 * §2.3.7).
 */
const BITMAP_RECORDS: ReadonlyMap<number, number> = new Map([
  [76, 84],
  [77, 84],
  [78, 84],
  [79, 96],
  [80, 48],
  [81, 48],
  [93, 16],
  [94, 16],
  [114, 84],
  [116, 84],
]);

const WMF_PLACEABLE = 0x9ac6cdd7;
const WMF_PLACEABLE_BYTES = 22;
const WMF_HEADER_BYTES = 18;
const META_ESCAPE = 0x0626;
const MFCOMMENT = 15;
/** The data of a comment with a piece of an EMF begin here, counted from the record (MS-WMF §2.3.6.20). */
const EMF_PIECE_START = 44;

const EMR_ALPHABLEND = 114;
/** Offsets in that record (MS-EMF §2.3.1.1): the blend function, and the places of the bitmap's header and pixels. */
const BLEND = { function: 40, header: 84, pixels: 92, bytes: 108 };
/** AC_SRC_OVER with the alpha of each pixel alone (MS-EMF §2.3.1.1). */
const PIXEL_ALPHA = 0x01ff0000;
/** BI_RGB and BI_BITFIELDS. */
const UNCOMPRESSED = [0, 3];

/** A metafile that is safe to play, and the pixels of its bitmaps. */
export interface Metafile {
  bytes: Buffer;
  pixels: number;
}

/**
 * An EMF up to its last well-formed record. Removes comments that contain a picture in another format (PDF and EPS, SVG
 * in EMF+), which LibreOffice would read. The records next to such a comment are displayed instead. Undefined if the
 * header is invalid.
 *
 * Bitmaps with transparency get a white background: LibreOffice draws them opaque first, and what is transparent as black.
 */
export function safeEmf(emf: Buffer, depth = 0): Metafile | undefined {
  if (emf.length < EMF_HEADER_BYTES_MIN || emf.readUInt32LE(4) < EMF_HEADER_BYTES_MIN) return undefined;
  const comments: number[] = [];
  const blanked: number[] = [];
  const blended: number[] = [];
  let pixels = 0;
  let at = 0;
  for (let type = 0; type !== EMR_EOF && at + 8 <= emf.length; ) {
    type = emf.readUInt32LE(at);
    const size = emf.readUInt32LE(at + 4);
    if (size < 8 || at + size > emf.length) break;
    if (type === EMR_GDICOMMENT && size >= 20) {
      const name = emf.toString('latin1', at + 12, at + 16);
      if (name === 'EMF+') comments.push(at);
      if (name === 'GDIC' && PICTURE_COMMENTS.has(emf.readUInt32LE(at + 16))) blanked.push(at);
    }
    if (isBlended(emf, at, size, type)) blended.push(at);
    pixels += recordPixels(emf, at, size, type);
    at += size;
  }
  if (at === 0) return undefined;
  const plus = comments.map((start) => {
    const [size, dataSize] = [emf.readUInt32LE(start + 4), emf.readUInt32LE(start + 8)];
    return emf.subarray(start + 16, start + Math.min(12 + dataSize, size));
  });
  if (hasForeignImage(plus, (image) => isSafeImage(image, depth)))
    for (const start of comments) blanked.push(start);
  if (at === emf.length && blanked.length + blended.length === 0) return { bytes: emf, pixels };
  const bytes = Buffer.from(emf.subarray(0, at));
  for (const start of blanked) bytes.fill(0, start + 12, start + 16);
  for (const start of blended) whiten(bytes, start);
  return { bytes, pixels };
}

/** Whether a record draws a bitmap whose pixels have an alpha of their own, in a format that can be changed. */
function isBlended(emf: Buffer, at: number, size: number, type: number): boolean {
  if (type !== EMR_ALPHABLEND || size < BLEND.bytes) return false;
  const header = emf.readUInt32LE(at + BLEND.header);
  const [pixels, length] = [emf.readUInt32LE(at + BLEND.pixels), emf.readUInt32LE(at + BLEND.pixels + 4)];
  // Its second byte is reserved, but some programs set it.
  const blend = (emf.readUInt32LE(at + BLEND.function) & 0xffff00ff) >>> 0;
  if (blend !== PIXEL_ALPHA || header + 20 > size || pixels + length > size) return false;
  const [bits, compression] = [emf.readUInt16LE(at + header + 14), emf.readUInt32LE(at + header + 16)];
  return bits === 32 && UNCOMPRESSED.includes(compression);
}

/** Draws the pixels of a bitmap, which are premultiplied by their alpha, on white. */
function whiten(emf: Buffer, at: number): void {
  const start = at + emf.readUInt32LE(at + BLEND.pixels);
  const end = start + emf.readUInt32LE(at + BLEND.pixels + 4);
  for (let pixel = start; pixel + 4 <= end; pixel += 4) {
    const clear = 255 - (emf[pixel + 3] ?? 0);
    for (let color = pixel; color < pixel + 3; color++) emf[color] = Math.min(255, (emf[color] ?? 0) + clear);
    emf[pixel + 3] = 255;
  }
}

/** Whether an image inside a metafile is a raster image within bounds, or a metafile that is safe unchanged. */
function isSafeImage(image: Buffer, depth: number): boolean {
  const format = formatOf(image);
  if (isRaster(format)) return (pixelsOf(format, image) ?? Infinity) <= BOUNDS.imagePixelsMax;
  if (depth >= NESTING_MAX || (format !== 'WMF' && format !== 'EMF')) return false;
  const inner = format === 'WMF' ? safeWmf(image, depth + 1) : safeEmf(image, depth + 1);
  // Bytes after the last record are not read.
  return inner !== undefined && image.subarray(0, inner.bytes.length).equals(inner.bytes);
}

function recordPixels(emf: Buffer, at: number, size: number, type: number): number {
  const place = BITMAP_RECORDS.get(type);
  if (place === undefined || place + 4 > size) return 0;
  const offset = emf.readUInt32LE(at + place);
  if (offset < 8 || offset + 16 > size) return 0;
  return bitmapPixels(emf, at + offset) ?? 0;
}

/**
 * A WMF up to its last well-formed record. Its comments may have an EMF (MS-WMF §2.3.6.20), which is displayed instead: it is
 * removed unless it is safe unchanged. Undefined if the header is invalid.
 */
export function safeWmf(wmf: Buffer, depth = 0): Metafile | undefined {
  const isPlaceable = wmf.length >= 4 && wmf.readUInt32LE(0) === WMF_PLACEABLE;
  const start = isPlaceable ? WMF_PLACEABLE_BYTES : 0;
  if (wmf.length < start + WMF_HEADER_BYTES || wmf.readUInt16LE(start + 2) !== 9) return undefined;
  const pieces: number[] = [];
  let at = start + WMF_HEADER_BYTES;
  while (at + 6 <= wmf.length) {
    const size = 2 * wmf.readUInt32LE(at);
    if (size < 6 || at + size > wmf.length) break;
    const isComment =
      size >= 14 && wmf.readUInt16LE(at + 4) === META_ESCAPE && wmf.readUInt16LE(at + 6) === MFCOMMENT;
    if (isComment && wmf.toString('latin1', at + 10, at + 14) === 'WMFC') pieces.push(at);
    const isEnd = wmf.readUInt16LE(at + 4) === 0;
    at += size;
    if (isEnd) break;
  }
  const inner = emfOf(wmf, pieces);
  const isKept = inner !== undefined && isSafeImage(inner, depth);
  const pixels = isKept ? (safeEmf(inner, depth + 1)?.pixels ?? 0) : 0;
  if (at === wmf.length && (isKept || pieces.length === 0)) return { bytes: wmf, pixels };
  const bytes = Buffer.from(wmf.subarray(0, at));
  if (!isKept) for (const record of pieces) bytes.writeUInt16LE(0, record + 6);
  return { bytes, pixels };
}

/** The EMF in the comments of a WMF, if all readers put the same pieces together; undefined for any other one. */
function emfOf(wmf: Buffer, records: readonly number[]): Buffer | undefined {
  const pieces: Buffer[] = [];
  let rest: number | undefined;
  for (const at of records) {
    const end = at + 2 * wmf.readUInt32LE(at);
    if (end - at < EMF_PIECE_START) return undefined;
    const [type, version] = [wmf.readUInt32LE(at + 14), wmf.readUInt32LE(at + 18)];
    const [count, length, left, total] = [28, 32, 36, 40].map((offset) => wmf.readUInt32LE(at + offset)) as [
      number,
      number,
      number,
      number,
    ];
    rest = (rest ?? total) - length;
    const isKnown = type === 1 && version === 0x10000 && count === records.length;
    if (!isKnown || left !== rest || rest < 0 || at + EMF_PIECE_START + length > end) return undefined;
    pieces.push(wmf.subarray(at + EMF_PIECE_START, at + EMF_PIECE_START + length));
  }
  return rest === 0 ? Buffer.concat(pieces) : undefined;
}
