import type { PixelSize } from '@scriptorium/images/picture';
import type { Dimensions } from '../fields/field-options.ts';
import { invalidField } from '../fields/invalid.ts';
import { EMU_PER_PIXEL, type Room } from '../template/measures.ts';

/** 22 inches: Word has no larger page, and takes no larger drawing. */
const SIDE_PIXELS_MAX = 22 * 96;

/** How large something is by itself, and one side of it by the other; pixels. */
export interface Proportions {
  natural: PixelSize;
  heightFor(width: number): number;
  widthFor(height: number): number;
}

/** Of what only ever grows and shrinks as a whole. */
export function proportionsOf(natural: PixelSize): Proportions {
  const ratio = natural.width / natural.height;
  return { natural, heightFor: (width) => width / ratio, widthFor: (height) => height * ratio };
}

/**
 * How a drawing is sized: as the caller asks, whatever the container, or else as large as it is, scaled down where there
 * is less room. Throws VALIDATION_ERROR where he asks for more than 22 inches; `path` is that of the field.
 */
export function sizing(
  proportions: Proportions,
  dimensions: Dimensions | undefined,
  path: string,
): (room: Room) => PixelSize {
  const { width, height } = dimensions ?? {};
  if (width === undefined && height === undefined) return (room) => fitInto(proportions, room);
  const asked = {
    width: width ?? proportions.widthFor(height ?? 0),
    height: height ?? proportions.heightFor(width ?? 0),
  };
  if (Math.max(asked.width, asked.height) > SIDE_PIXELS_MAX)
    throw invalidField(
      `${path}.options.dimensions`,
      `makes ${Math.round(asked.width)} × ${Math.round(asked.height)} pixels, and a side has ${SIDE_PIXELS_MAX} at most`,
    );
  return () => asked;
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
