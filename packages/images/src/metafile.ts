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

/** A metafile that is safe to play, and the pixels of its bitmaps. */
export interface Metafile {
  bytes: Buffer;
  pixels: number;
}

/**
 * An EMF up to its last well-formed record. Removes comments that contain a picture in another format (PDF and EPS, SVG
 * in EMF+), which LibreOffice would read. The records next to such a comment are displayed instead. Undefined if the
 * header is invalid.
 */
export function safeEmf(emf: Buffer, depth = 0): Metafile | undefined {
  if (emf.length < EMF_HEADER_BYTES_MIN || emf.readUInt32LE(4) < EMF_HEADER_BYTES_MIN) return undefined;
  const comments: number[] = [];
  const blanked: number[] = [];
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
  if (at === emf.length && blanked.length === 0) return { bytes: emf, pixels };
  const bytes = Buffer.from(emf.subarray(0, at));
  for (const start of blanked) bytes.fill(0, start + 12, start + 16);
  return { bytes, pixels };
}

/** Whether an image inside a metafile is a raster image within bounds, or a metafile that is safe unchanged. */
function isSafeImage(image: Buffer, depth: number): boolean {
  const format = formatOf(image);
  if (isRaster(format)) return (pixelsOf(format, image) ?? Infinity) <= BOUNDS.imagePixelsMax;
  if (depth >= NESTING_MAX || (format !== 'WMF' && format !== 'EMF')) return false;
  const inner = format === 'WMF' ? safeWmf(image) : safeEmf(image, depth + 1);
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
 * A WMF up to its last well-formed record, without an EMF in its comments (MS-WMF §2.3.6.20). Undefined if the header
 * is invalid.
 */
export function safeWmf(wmf: Buffer): Metafile | undefined {
  const isPlaceable = wmf.length >= 4 && wmf.readUInt32LE(0) === WMF_PLACEABLE;
  const start = isPlaceable ? WMF_PLACEABLE_BYTES : 0;
  if (wmf.length < start + WMF_HEADER_BYTES || wmf.readUInt16LE(start + 2) !== 9) return undefined;
  const blanked: number[] = [];
  let at = start + WMF_HEADER_BYTES;
  while (at + 6 <= wmf.length) {
    const size = 2 * wmf.readUInt32LE(at);
    if (size < 6 || at + size > wmf.length) break;
    const isComment =
      size >= 14 && wmf.readUInt16LE(at + 4) === META_ESCAPE && wmf.readUInt16LE(at + 6) === MFCOMMENT;
    if (isComment && wmf.toString('latin1', at + 10, at + 14) === 'WMFC') blanked.push(at);
    const isEnd = wmf.readUInt16LE(at + 4) === 0;
    at += size;
    if (isEnd) break;
  }
  if (at === wmf.length && blanked.length === 0) return { bytes: wmf, pixels: 0 };
  const bytes = Buffer.from(wmf.subarray(0, at));
  for (const record of blanked) bytes.writeUInt16LE(0, record + 6);
  return { bytes, pixels: 0 };
}
