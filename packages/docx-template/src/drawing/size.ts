import type { PixelSize } from '@scriptorium/images/picture';
import type { Dimensions } from '../fields/field-options.ts';
import { invalidField } from '../fields/invalid.ts';
import { EMU_PER_PIXEL, type Room } from '../template/measures.ts';

/** 22 inches: the maximum of Word for pages and drawings. */
const SIDE_PIXELS_MAX = 22 * 96;

/** The natural size, and each side as a function of the other, in pixels. */
export interface Proportions {
  natural: PixelSize;
  heightFor(width: number): number;
  widthFor(height: number): number;
}

/** Proportions with a fixed ratio. */
export function proportionsOf(natural: PixelSize): Proportions {
  const ratio = natural.width / natural.height;
  return { natural, heightFor: (width) => width / ratio, widthFor: (height) => height * ratio };
}

/**
 * Returns the sizing of a drawing: the requested size, regardless of the container, or else the natural size, scaled
 * down to the available room. Throws VALIDATION_ERROR if the request exceeds 22 inches. `path` is the path of the
 * requested size.
 */
export function sizing(
  proportions: Proportions,
  dimensions: Dimensions | undefined,
  path: string,
): (room: Room) => PixelSize {
  const { width, height } = dimensions ?? {};
  if (width === undefined && height === undefined) return (room) => fitInto(proportions, room);
  const requested = {
    width: width ?? proportions.widthFor(height ?? 0),
    height: height ?? proportions.heightFor(width ?? 0),
  };
  if (Math.max(requested.width, requested.height) > SIDE_PIXELS_MAX)
    throw invalidField(
      path,
      `requests ${Math.round(requested.width)} × ${Math.round(requested.height)} pixels, but a side may have at most ${SIDE_PIXELS_MAX}`,
    );
  return () => requested;
}

function fitInto({ natural, heightFor, widthFor }: Proportions, room: Room): PixelSize {
  const widthMax = Math.min(room.widthEmu / EMU_PER_PIXEL, SIDE_PIXELS_MAX);
  const heightMax = Math.min(room.heightEmu / EMU_PER_PIXEL, SIDE_PIXELS_MAX);
  const size = natural.width <= widthMax ? natural : { width: widthMax, height: heightFor(widthMax) };
  return size.height <= heightMax ? size : { width: widthFor(heightMax), height: heightMax };
}

export function emu(pixels: number): number {
  return Math.max(Math.round(pixels * EMU_PER_PIXEL), 1);
}
