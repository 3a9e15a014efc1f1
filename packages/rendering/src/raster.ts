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

/** Rows of one raster. */
const row = ({ pixels, width }: Raster, index: number): Uint8Array =>
  pixels.subarray(4 * width * index, 4 * width * (index + 1));

/** The region in which two rasters of one size differ in any way. */
export function differingRegion(a: Raster, b: Raster): Region | undefined {
  let [left, right, top, bottom] = [a.width, 0, a.height, 0];
  for (let y = 0; y < a.height; y++) {
    const [one, other] = [row(a, y), row(b, y)];
    if (Buffer.compare(one, other) === 0) continue;
    const last = one.findLastIndex((byte, at) => byte !== other[at]);
    const first = one.findIndex((byte, at) => byte !== other[at]);
    left = Math.min(left, first >> 2);
    right = Math.max(right, (last >> 2) + 1);
    top = Math.min(top, y);
    bottom = y + 1;
  }
  return right > left ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
}

/** A region of a page at half of the scale, at the whole one. */
export const doubled = ({ x, y, width, height }: Region): Region => ({
  x: 2 * x,
  y: 2 * y,
  width: 2 * width,
  height: 2 * height,
});

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
