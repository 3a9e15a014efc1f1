import type { Raster, Region } from './raster.ts';

/** From 0 to 255. One engine draws the same content with the same pixels: what differs by more is other content. */
const TOLERANCE = 16;
/** From 0 to 255, in one of the colors. A pixel that differs less from its background is background. */
const CONTRAST_MIN = 40;
/** Side of the squares that are compared. */
const TILE = 8;
/** Squares around what differs, which the comparison of ink needs. */
const MARGIN = 2;
/** Share of the ink in a square. Strokes that cross text cover less. */
const LOST_INK_SHARE_MAX = 0.2;
/** Share of the ink in a square around which the background has got the color of the ink. Strokes that cross it surround less. */
const BLOTTED_INK_SHARE_MAX = 0.6;
const BLOTTED_PIXELS_MIN = 6;
/** Share of the background around a pixel of ink. */
const BLOTTED_BACKGROUND_SHARE_MAX = 0.7;
/** Pixels on each side of one of ink that are around it. */
const REACH = 2;
/** Fewer pixels of ink are a speck. */
const INK_PIXELS_MIN = 3;
/** Shades of each color, among which the most frequent one is sought. */
const SHADES = 16;
const REGIONS_MAX = 100;

/** Squares of a page, row by row. */
export class Tiles {
  readonly columns: number;
  readonly rows: number;
  readonly marked: Uint8Array;
  readonly #size: { width: number; height: number };

  constructor({ width, height }: Raster) {
    this.#size = { width, height };
    this.columns = Math.ceil(width / TILE);
    this.rows = Math.ceil(height / TILE);
    this.marked = new Uint8Array(this.columns * this.rows);
  }

  get isEmpty(): boolean {
    return !this.marked.includes(1);
  }

  add(other: Tiles): void {
    for (let at = 0; at < this.marked.length; at++) this.marked[at] ||= other.marked[at] ?? 0;
  }

  remove(other: Tiles): void {
    for (let at = 0; at < this.marked.length; at++) if (other.marked[at] === 1) this.marked[at] = 0;
  }

  /** Rectangles around marked squares that touch; the last one may be around several groups. */
  regions(): Region[] {
    const rest = this.marked.slice();
    const boxes: [left: number, top: number, right: number, bottom: number][] = [];
    for (let start = rest.indexOf(1); start !== -1; start = rest.indexOf(1, start)) {
      const box = this.#group(rest, start);
      const last = boxes.at(-1);
      if (boxes.length < REGIONS_MAX || last === undefined) boxes.push(box);
      else
        for (let side = 0; side < 4; side++)
          last[side] = (side < 2 ? Math.min : Math.max)(last[side] ?? 0, box[side] ?? 0);
    }
    return boxes.map(([left, top, right, bottom]) => {
      const [x, y] = [left * TILE, top * TILE];
      const { width, height } = this.#size;
      return {
        x,
        y,
        width: Math.min((right + 1) * TILE, width) - x,
        height: Math.min((bottom + 1) * TILE, height) - y,
      };
    });
  }

  /** Takes a square and those that it is joined with, and returns their bounds. */
  #group(rest: Uint8Array, start: number): [number, number, number, number] {
    const box: [number, number, number, number] = [this.columns, this.rows, 0, 0];
    const stack = [start];
    rest[start] = 0;
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const [column, row] = [at % this.columns, Math.floor(at / this.columns)];
      box[0] = Math.min(box[0], column);
      box[1] = Math.min(box[1], row);
      box[2] = Math.max(box[2], column);
      box[3] = Math.max(box[3], row);
      // Words of a line have gaps of a square.
      for (let y = Math.max(0, row - 2); y <= Math.min(this.rows - 1, row + 2); y++) {
        for (let x = Math.max(0, column - 2); x <= Math.min(this.columns - 1, column + 2); x++) {
          const near = y * this.columns + x;
          if (rest[near] !== 1) continue;
          rest[near] = 0;
          stack.push(near);
        }
      }
    }
    return box;
  }
}

/**
 * The bounds of regions of a page, with the squares around that are compared with them. Its squares are those of the page.
 * Undefined if the regions are empty.
 */
export function regionAround(
  regions: readonly Region[],
  { width, height }: Omit<Raster, 'pixels'>,
): Region | undefined {
  const seen = regions.filter((region) => region.width > 0 && region.height > 0);
  if (seen.length === 0) return undefined;
  const start = (least: number) => Math.max(0, (Math.floor(least / TILE) - MARGIN) * TILE);
  const end = (most: number, side: number) => Math.min(side, (Math.ceil(most / TILE) + MARGIN) * TILE);
  const x = start(Math.min(...seen.map((region) => region.x)));
  const y = start(Math.min(...seen.map((region) => region.y)));
  const right = end(Math.max(...seen.map((region) => region.x + region.width)), width);
  const bottom = end(Math.max(...seen.map((region) => region.y + region.height)), height);
  return { x, y, width: right - x, height: bottom - y };
}

const isSameSize = (a: Raster, b: Raster): boolean => a.width === b.width && a.height === b.height;

/** The greatest difference of one color. */
function distance(a: Uint8Array, atA: number, b: Uint8Array, atB: number): number {
  const blue = Math.abs((a[atA] ?? 0) - (b[atB] ?? 0));
  const green = Math.abs((a[atA + 1] ?? 0) - (b[atB + 1] ?? 0));
  const red = Math.abs((a[atA + 2] ?? 0) - (b[atB + 2] ?? 0));
  return Math.max(blue, green, red);
}

const words = ({ pixels }: Raster): Uint32Array =>
  new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength / 4);

const bytesOf = ({ pixels }: Raster): Buffer =>
  Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);

/** Calls back with the position of each pixel that differs visibly. Both rasters have the same size. */
function eachDifference(before: Raster, now: Raster, found: (pixel: number) => void): void {
  if (before.pixels === now.pixels) return;
  const [a, b] = [words(before), words(now)];
  const [bytes, others] = [bytesOf(before), bytesOf(now)];
  const { width } = before;
  for (let start = 0; start < a.length; start += width) {
    const end = start + width;
    // Most rows are equal, which the machine sees faster.
    if (bytes.compare(others, 4 * start, 4 * end, 4 * start, 4 * end) === 0) continue;
    for (let pixel = start; pixel < end; pixel++) {
      if (a[pixel] === b[pixel]) continue;
      if (distance(before.pixels, 4 * pixel, now.pixels, 4 * pixel) > TOLERANCE) found(pixel);
    }
  }
}

/** Marks the squares with visible differences. Pages of different sizes differ everywhere. */
export function changedTiles(before: Raster, now: Raster, within?: Uint8Array): Tiles {
  const tiles = new Tiles(before);
  if (!isSameSize(before, now)) {
    tiles.marked.fill(1);
    return tiles;
  }
  const { width } = before;
  eachDifference(before, now, (pixel) => {
    if (within?.[pixel] === 0) return;
    const row = Math.floor(pixel / width / TILE);
    tiles.marked[row * tiles.columns + Math.floor((pixel % width) / TILE)] = 1;
  });
  return tiles;
}

/** One byte a pixel: 1 where the rasters differ visibly, and beside it. */
export function differenceMask(before: Raster, now: Raster): Uint8Array {
  const { width, height } = before;
  const mask = new Uint8Array(width * height);
  if (!isSameSize(before, now)) return mask.fill(1);
  eachDifference(before, now, (pixel) => {
    mask[pixel] = 1;
  });
  return mask;
}

/**
 * Marks the squares in which ink can no longer be seen. It is gone, lies under something else, or what is around it has got its
 * color. Ink is what contrasts with the most frequent color of a square and its neighbors. Strokes upon ink and highlights leave
 * most of it visible. `ignored` has 1 for pixels that do not count.
 */
export function concealedTiles(before: Raster, now: Raster, ignored?: Uint8Array): Tiles {
  const tiles = changedTiles(before, now);
  if (!isSameSize(before, now)) return tiles;
  for (let at = 0; at < tiles.marked.length; at++) {
    if (tiles.marked[at] !== 1) continue;
    const top = Math.floor(at / tiles.columns) * TILE;
    const left = (at % tiles.columns) * TILE;
    if (!isConcealed(before, now, { left, top, ignored })) tiles.marked[at] = 0;
  }
  return tiles;
}

/** Marks the squares of these regions that have ink. */
export function inkTiles(raster: Raster, regions: readonly Region[]): Tiles {
  const tiles = new Tiles(raster);
  for (const { x, y, width, height } of regions) {
    for (let row = Math.floor(y / TILE); row < Math.ceil((y + height) / TILE); row++) {
      for (let column = Math.floor(x / TILE); column < Math.ceil((x + width) / TILE); column++) {
        const [left, top] = [column * TILE, row * TILE];
        if (inkOf(raster, { left, top, ignored: undefined }).ink.length >= INK_PIXELS_MIN)
          tiles.marked[row * tiles.columns + column] = 1;
      }
    }
  }
  return tiles;
}

interface Square {
  left: number;
  top: number;
  ignored: Uint8Array | undefined;
}

/** Pixels of a square that contrast with the most frequent color of it and its neighbors, by their positions. */
function inkOf(raster: Raster, { left, top, ignored }: Square) {
  const { width, height, pixels } = raster;
  const background = frequentColor(raster, left, top);
  const isInk = (at: number) => distance(pixels, at, background, 0) > CONTRAST_MIN;
  const ink: number[] = [];
  for (let y = top; y < Math.min(top + TILE, height); y++) {
    for (let x = left; x < Math.min(left + TILE, width); x++) {
      const pixel = y * width + x;
      if (ignored?.[pixel] !== 1 && isInk(4 * pixel)) ink.push(4 * pixel);
    }
  }
  return { background, isInk, ink };
}

function isConcealed(before: Raster, now: Raster, square: Square): boolean {
  const { background, isInk, ink } = inkOf(before, square);
  if (ink.length < INK_PIXELS_MIN) return false;
  const isErased = (at: number) =>
    distance(now.pixels, at, background, 0) < distance(before.pixels, at, background, 0) / 2;
  if (ink.filter(isErased).length > ink.length * LOST_INK_SHARE_MAX) return true;
  const inkNow = meanColor(now, ink);
  const contrast = distance(meanColor(before, ink), 0, background, 0);
  const isBlot = (at: number) =>
    distance(before.pixels, at, now.pixels, at) > CONTRAST_MIN &&
    distance(now.pixels, at, inkNow, 0) < contrast / 2;
  const isBlotted = (at: number) => isSurrounded(before, at / 4, isInk, isBlot);
  const blotted = ink.filter(isBlotted).length;
  return blotted >= BLOTTED_PIXELS_MIN && blotted > ink.length * BLOTTED_INK_SHARE_MAX;
}

/** Whether most of the background around a pixel of ink is a blot. */
function isSurrounded(
  { width, height }: Raster,
  pixel: number,
  isInk: (at: number) => boolean,
  isBlot: (at: number) => boolean,
): boolean {
  const [column, row] = [pixel % width, Math.floor(pixel / width)];
  let empty = 0;
  let blots = 0;
  for (let y = Math.max(0, row - REACH); y <= Math.min(height - 1, row + REACH); y++) {
    for (let x = Math.max(0, column - REACH); x <= Math.min(width - 1, column + REACH); x++) {
      const at = 4 * (y * width + x);
      if (isInk(at)) continue;
      empty++;
      if (isBlot(at)) blots++;
    }
  }
  return empty > 0 && blots > empty * BLOTTED_BACKGROUND_SHARE_MAX;
}

function meanColor({ pixels }: Raster, at: readonly number[]): Uint8Array {
  const sums = [0, 0, 0];
  for (const start of at)
    for (let color = 0; color < 3; color++) sums[color] = (sums[color] ?? 0) + (pixels[start + color] ?? 0);
  return Uint8Array.from(sums, (sum) => sum / at.length);
}

/** Counts of shades; cleared after each use. */
const counts = new Uint16Array(SHADES ** 3);

/** The most frequent color of a square and the ones around it. */
function frequentColor({ width, height, pixels }: Raster, left: number, top: number): Uint8Array {
  const [right, bottom] = [Math.min(width, left + 2 * TILE), Math.min(height, top + 2 * TILE)];
  const [fromX, fromY] = [Math.max(0, left - TILE), Math.max(0, top - TILE)];
  const shadeAt = (at: number) =>
    (((pixels[at] ?? 0) >> 4) << 8) | (((pixels[at + 1] ?? 0) >> 4) << 4) | ((pixels[at + 2] ?? 0) >> 4);
  let [most, mostAt] = [0, 0];
  for (let y = fromY; y < bottom; y++) {
    for (let x = fromX; x < right; x++) {
      const at = 4 * (y * width + x);
      const shade = shadeAt(at);
      const count = (counts[shade] ?? 0) + 1;
      counts[shade] = count;
      if (count <= most) continue;
      most = count;
      mostAt = at;
    }
  }
  for (let y = fromY; y < bottom; y++)
    for (let x = fromX; x < right; x++) counts[shadeAt(4 * (y * width + x))] = 0;
  return pixels.slice(mostAt, mostAt + 3);
}
