export { formatOf, type ImageFormat, isRaster, isSvg, pixelsOf } from '../formats.ts';
export { bitmapPixels } from '../pixels.ts';
