import { bitmapPixels, formatOf, isRaster, pixelsOf } from '@scriptorium/images/formats';
import { safeEmf, safeWmf } from '@scriptorium/images/metafile';
import { BOUNDS } from '@scriptorium/ooxml/bounds';
import type { Metafiles } from './source.ts';

type PictureKind = 'png' | 'jpeg' | 'gif' | 'bmp' | 'tiff' | 'webp' | 'emf' | 'wmf' | 'svm' | 'dib';

/** Facts from the header of a picture. For a metafile, `pixels` counts the bitmaps inside. */
export interface PictureHeader {
  kind: PictureKind;
  pixels: number;
}

const RASTER_KINDS = {
  PNG: 'png',
  JPEG: 'jpeg',
  GIF: 'gif',
  BMP: 'bmp',
  TIFF: 'tiff',
  WebP: 'webp',
} as const;

/** Formats that LibreOffice writes into its own documents: its own metafiles, and bare bitmaps. */
const OWN_SIGNATURES: readonly (readonly [signature: string, kind: PictureKind])[] = [
  ['VCLMTF', 'svm'],
  ['\x02\0\x09\0', 'wmf'],
  ['\x28\0\0\0', 'dib'],
];

/** LibreOffice's own metafiles may contain the others. */
const METAFILE_KINDS = new Set<PictureKind>(['emf', 'wmf', 'svm']);

/** As `readPictureHeader`, also undefined for metafiles that are to be removed. */
export type ReadPicture = (bytes: Buffer) => PictureHeader | undefined;

export function pictureReader(metafiles: Metafiles = 'keep'): ReadPicture {
  return (bytes) => {
    const header = readPictureHeader(bytes);
    return metafiles === 'drop' && header !== undefined && METAFILE_KINDS.has(header.kind)
      ? undefined
      : header;
  };
}

/**
 * Detects a picture from its bytes, regardless of its name. Undefined for formats that are not allowed, such as SVG,
 * which can contain links. Reads only the header and decodes nothing.
 */
export function readPictureHeader(bytes: Buffer): PictureHeader | undefined {
  const format = formatOf(bytes);
  if (isRaster(format)) return headerOf(RASTER_KINDS[format], pixelsOf(format, bytes));
  if (format === 'EMF') return headerOf('emf', safeEmf(bytes)?.pixels);
  if (format === 'WMF') return headerOf('wmf', safeWmf(bytes)?.pixels);
  const start = bytes.toString('latin1', 0, 8);
  const kind = OWN_SIGNATURES.find(([signature]) => start.startsWith(signature))?.[1];
  return kind && headerOf(kind, kind === 'dib' ? bitmapPixels(bytes, 0) : 0);
}

function headerOf(kind: PictureKind, pixels: number | undefined): PictureHeader | undefined {
  return pixels === undefined ? undefined : { kind, pixels };
}

export function isTooLarge({ pixels }: PictureHeader): boolean {
  return pixels > BOUNDS.imagePixelsMax;
}

/** Whether a file that is not a known picture looks like SVG, compressed or not. */
export function looksLikeSvg(bytes: Buffer): boolean {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return true;
  return /<(?:\?xml|!DOCTYPE|svg|!--|\w+:svg)/i.test(bytes.toString('latin1', 0, 512).replaceAll('\0', ''));
}
