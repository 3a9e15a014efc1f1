export { UPRIGHT } from '../formats/exif.ts';
export { type ImageFile, type Picture, readPicture } from '../formats/picture.ts';
export { ImageRefusal, type PixelSize } from '../formats/refusal.ts';
