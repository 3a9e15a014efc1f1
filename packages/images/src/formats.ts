import {
  bmpPixels,
  gifPixels,
  jpegPixels,
  type PixelCount,
  pngPixels,
  tiffPixels,
  webpPixels,
} from './pixels.ts';

export type RasterFormat = 'PNG' | 'JPEG' | 'GIF' | 'BMP' | 'TIFF' | 'WebP';
export type ImageFormat = RasterFormat | 'EMF' | 'WMF' | 'JPEG XR' | 'gzip';

/** The bytes in which LibreOffice looks for the tag of an SVG image. */
const SVG_HEAD_BYTES = 2_048;
const SVG_TAG = /<(?:[\w.-]+:)?svg[\s>/]/;

/** The first bytes of files in each format, and the reader of their pixel count. */
const RASTERS: readonly (readonly [format: RasterFormat, start: string, pixels: PixelCount])[] = [
  ['PNG', '\x89PNG\r\n\x1a\n', pngPixels],
  ['JPEG', '\xff\xd8\xff', jpegPixels],
  ['GIF', 'GIF87a', gifPixels],
  ['GIF', 'GIF89a', gifPixels],
  ['BMP', 'BM', bmpPixels],
  ['TIFF', 'II*\0', tiffPixels],
  ['TIFF', 'MM\0*', tiffPixels],
];

/**
 * The format of an image by its bytes, as LibreOffice detects it. Undefined for anything that is not supported.
 *
 * @example
 * formatOf(Buffer.from('GIF89a')) // 'GIF'
 * formatOf(Buffer.from('hello')) // undefined
 */
export function formatOf(bytes: Buffer): ImageFormat | undefined {
  const start = bytes.toString('latin1', 0, 16);
  const raster = RASTERS.find(([, magic]) => start.startsWith(magic));
  // If the third byte is 0xd3, LibreOffice first checks whether the file is an OS/2 metafile.
  if (raster !== undefined) return raster[0] === 'BMP' && bytes[2] === 0xd3 ? undefined : raster[0];
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'WebP';
  if (start.startsWith('\x01\0\0\0') && bytes.toString('latin1', 40, 44) === ' EMF') return 'EMF';
  if (start.startsWith('\xd7\xcd\xc6\x9a') || start.startsWith('\x01\0\x09\0')) return 'WMF';
  if (start.startsWith('II\xbc\x01')) return 'JPEG XR';
  return start.startsWith('\x1f\x8b') ? 'gzip' : undefined;
}

/**
 * The pixels of a raster image, summed over its frames. Undefined if the header is invalid.
 *
 * @example
 * pixelsOf('GIF', Buffer.from('GIF89a')) // undefined
 */
export function pixelsOf(format: RasterFormat, bytes: Buffer): number | undefined {
  if (format === 'WebP') return webpPixels(bytes);
  return RASTERS.find(([name]) => name === format)?.[2](bytes);
}

export function isRaster(format: ImageFormat | undefined): format is RasterFormat {
  return format === 'WebP' || RASTERS.some(([name]) => name === format);
}

/** Whether LibreOffice would detect an SVG image. */
export function isSvg(bytes: Buffer): boolean {
  return SVG_TAG.test(bytes.toString('latin1', 0, SVG_HEAD_BYTES).replaceAll('\0', ''));
}
