export { isOnItsSide, type Orientation } from '../formats/exif.ts';
