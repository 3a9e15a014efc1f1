import { isOnItsSide, type Orientation } from '@scriptorium/images/orientation';
import type { PixelSize } from '@scriptorium/images/picture';
import { emu } from './size.ts';

/** In pixels, from the upper left corner of a group. */
export interface Box extends PixelSize {
  left: number;
  top: number;
}

/** Offset and extent, as the children of `a:xfrm`. */
export function place({ left, top, width, height }: Box): string {
  const offset = (pixels: number) => (pixels === 0 ? 0 : Math.sign(pixels) * emu(Math.abs(pixels)));
  return `<a:off x="${offset(left)}" y="${offset(top)}"/><a:ext cx="${emu(width)}" cy="${emu(height)}"/>`;
}

/** The box, with the same center, of a picture that fills `seen` after turning. */
export function beforeTurning(seen: Box, orientation: Orientation): Box {
  if (!isOnItsSide(orientation)) return seen;
  const aside = (seen.width - seen.height) / 2;
  return { left: seen.left + aside, top: seen.top - aside, width: seen.height, height: seen.width };
}
