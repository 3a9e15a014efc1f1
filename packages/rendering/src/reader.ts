import type { Raster, Region } from './raster.ts';
import { RenderingError } from './rendering-error.ts';

export type { Raster } from './raster.ts';
export { RenderingError } from './rendering-error.ts';

export const POINTS_PER_INCH = 72;
const DPI = 100;
/** A page that is displayed enlarged because it is small is rendered so, too. */
const SIDE_PIXELS_MIN = 1_000;
const SCALE_MAX = 100;
/** A larger page is rendered with fewer pixels per inch, but not with fewer than this. */
const PIXELS_MAX = 4_000_000;
const DPI_MIN = 50;

export interface RenderOptions {
  /** Annotations that are not drawn, as indices in the /Annots of the page. */
  hidden?: readonly number[];
  /** As printed, instead of as displayed. */
  isPrinted?: boolean;
}

/** A page that a reader has opened: PDFium, or a program. It and its file throw RenderingError. */
export interface ReaderPage {
  /** Pixels per point of a raster. */
  readonly scale: number;
  render(options?: RenderOptions): Raster | Promise<Raster>;
  /** The pixels of an area of the page. A reader without it leaves unsure areas to another one. */
  regionOf?(area: readonly [number, number, number, number]): Region;
  close(): void;
}

/** A revision that a reader has opened. */
export interface ReaderPdf {
  readonly pages: number;
  /** The byte ranges of the signatures that it finds, if it looks for them. */
  readonly signatures: number[][];
  page(index: number): ReaderPage | Promise<ReaderPage>;
  close(): void;
}

/** A file that a reader has. At most three of its revisions are open at a time. */
export interface ReaderFile {
  /** Opens the revision that ends here. */
  open(end: number): ReaderPdf | Promise<ReaderPdf>;
  close(): void;
}

/** Gives a file to a reader. Throws RenderingError. */
export type LoadFile = (bytes: Uint8Array, password?: string) => Promise<ReaderFile>;

/** Pixels per point of a page that is compared. Throws RenderingError. */
export function scaleOf([width, height]: readonly [number, number], index: number): number {
  const enlarged = Math.min(SIDE_PIXELS_MIN / Math.max(width, height), SCALE_MAX);
  const scale = Math.min(Math.max(DPI / POINTS_PER_INCH, enlarged), Math.sqrt(PIXELS_MAX / (width * height)));
  if (scale * POINTS_PER_INCH >= DPI_MIN) return scale;
  throw new RenderingError('TOO_LARGE', `Page ${index + 1} is too large to be rendered legibly.`);
}
