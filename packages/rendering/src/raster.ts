/** Pixels of a page, row by row from the top, four bytes each: blue, green, red, unused. */
export interface Raster {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Pixels of a page, from its upper left corner. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

const OUTLINE_PIXELS = 3;
/** Blue, green, red. */
const OUTLINE = [0, 0, 255] as const;

/** A copy of a page with red frames around these regions. */
export function outlined(raster: Raster, regions: readonly Region[]): Raster {
  const { width, height } = raster;
  const pixels = raster.pixels.slice();
  const paint = (x: number, y: number) => {
    if (x >= 0 && y >= 0 && x < width && y < height) pixels.set(OUTLINE, 4 * (y * width + x));
  };
  for (const region of regions) {
    for (let inset = 1; inset <= OUTLINE_PIXELS; inset++) {
      const [left, top] = [region.x - inset, region.y - inset];
      const [right, bottom] = [region.x + region.width - 1 + inset, region.y + region.height - 1 + inset];
      for (let x = left; x <= right; x++) {
        paint(x, top);
        paint(x, bottom);
      }
      for (let y = top; y <= bottom; y++) {
        paint(left, y);
        paint(right, y);
      }
    }
  }
  return { width, height, pixels };
}
