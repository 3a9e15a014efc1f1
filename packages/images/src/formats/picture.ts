import { BOUNDS } from '@scriptorium/ooxml/bounds';
import { formatOf, isRaster, isSvg, pixelsOf, type RasterFormat } from '../formats.ts';
import { readBmp } from './bmp.ts';
import { isOnItsSide, type Orientation, UPRIGHT } from './exif.ts';
import { readGif } from './gif.ts';
import { readJpeg } from './jpeg.ts';
import { readPng } from './png.ts';
import { damaged, ImageRefusal, type PixelSize } from './refusal.ts';
import { drawSvg } from './svg.ts';
import { readTiff } from './tiff.ts';
import { readWebp } from './webp.ts';

/** An image that a document can contain unchanged. */
export interface ImageFile {
  bytes: Buffer;
  /** Extension of its part name: `png`. */
  extension: string;
  contentType: string;
}

/** An image that was accepted for a document. */
export interface Picture {
  /** A format that every reader can show. */
  file: ImageFile;
  /** The SVG original, for readers that can show it. */
  svg?: ImageFile;
  /** The displayed size in CSS pixels: one per pixel of the image, regardless of its density. */
  size: PixelSize;
  orientation: Orientation;
}

interface Format {
  extension: string;
  contentType: string;
  read(bytes: Buffer): (PixelSize & { orientation?: Orientation }) | Promise<PixelSize>;
}

const FORMATS: Readonly<Record<RasterFormat, Format>> = {
  PNG: { extension: 'png', contentType: 'image/png', read: readPng },
  JPEG: { extension: 'jpeg', contentType: 'image/jpeg', read: readJpeg },
  GIF: { extension: 'gif', contentType: 'image/gif', read: readGif },
  BMP: { extension: 'bmp', contentType: 'image/bmp', read: readBmp },
  TIFF: { extension: 'tiff', contentType: 'image/tiff', read: readTiff },
  WebP: { extension: 'webp', contentType: 'image/webp', read: readWebp },
};

/**
 * Validates an image by its bytes alone, regardless of its file name. Raster images stay unchanged; SVG is kept
 * with a rendered PNG. Rejects with ImageRefusal.
 */
export async function readPicture(bytes: Buffer): Promise<Picture> {
  if (bytes.length === 0) throw new ImageRefusal('is empty');
  const format = formatOf(bytes);
  if (isRaster(format)) return await readRaster(format, bytes);
  if (format === undefined && isSvg(bytes)) return await readSvg(bytes);
  throw new ImageRefusal('is not an image in a supported format: PNG, JPEG, GIF, WebP, BMP, TIFF or SVG');
}

async function readRaster(format: RasterFormat, bytes: Buffer): Promise<Picture> {
  const pixels = pixelsOf(format, bytes);
  if (pixels !== undefined && pixels > BOUNDS.imagePixelsMax)
    throw new ImageRefusal(`has more than ${BOUNDS.imagePixelsMax.toLocaleString('en-US')} pixels`);
  const { extension, contentType, read } = FORMATS[format];
  const {
    width,
    height,
    orientation = UPRIGHT,
  }: PixelSize & { orientation?: Orientation } = await read(bytes);
  if (pixels === undefined) throw damaged(format);
  return {
    file: { bytes, extension, contentType },
    size: isOnItsSide(orientation) ? { width: height, height: width } : { width, height },
    orientation,
  };
}

async function readSvg(svg: Buffer): Promise<Picture> {
  const { png, width, height } = await drawSvg(svg);
  return {
    file: { bytes: png, extension: 'png', contentType: 'image/png' },
    svg: { bytes: svg, extension: 'svg', contentType: 'image/svg+xml' },
    size: { width, height },
    orientation: UPRIGHT,
  };
}
