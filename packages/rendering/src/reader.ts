import type { Raster, Region } from './raster.ts';
import { RenderingError } from './rendering-error.ts';

export type { Raster, Region } from './raster.ts';
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
  /** By default the whole page. */
  region?: Region | undefined;
}

/** What a page shows and says, in short: in one run of a reader, equal pages have equal digests. */
export interface PageDigests {
  /** Its size, and its pixels as displayed and as printed. */
  pictures: string;
  text: string;
  /** The values of its fields, and where its links lead. */
  values: string;
}

/** A page that a reader has opened: PDFium, or a program. It and its file throw RenderingError. */
export interface ReaderPage {
  /** Pixels per point of a raster. */
  readonly scale: number;
  /** Size of a raster. */
  readonly width: number;
  readonly height: number;
  render(options?: RenderOptions): Raster | Promise<Raster>;
  /**
   * The region in which this page and another one of the same size look different at half of the scale. Any pixel and any shade
   * counts. Undefined if there is none.
   */
  differenceTo(other: this, isPrinted: boolean): Region | undefined | Promise<Region | undefined>;
  /**
   * Whether this page and another one say the same at the same places, without annotations of each that are hidden. A reader
   * without it only draws.
   */
  saysTheSame?(hidden: readonly number[], other: this, otherHidden: readonly number[]): Promise<boolean>;
  /** The pixels of an area of the page. A reader without it leaves unsure areas to another one. */
  regionOf?(area: readonly [number, number, number, number]): Region;
  close(): void;
}

/** A revision that a reader has opened. */
export interface ReaderPdf {
  readonly pages: number;
  /** The byte ranges of the signatures that it finds, if it looks for them. */
  readonly signatures: number[][];
  /** How many fields for signatures it finds, if it looks for them. */
  readonly signatureFields?: number | undefined;
  page(index: number): ReaderPage | Promise<ReaderPage>;
  /** A reader without it sees only the pages that it is asked for. */
  digests?(index: number): Promise<PageDigests>;
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

/** A page at half of its scale. Its pixels are squares of two by two of the whole raster. */
export const halfOf = ({ width, height }: Pick<ReaderPage, 'width' | 'height'>): [number, number] => [
  Math.ceil(width / 2),
  Math.ceil(height / 2),
];

/** Pixels per point of a page that is compared. Throws RenderingError. */
export function scaleOf([width, height]: readonly [number, number], index: number): number {
  const enlarged = Math.min(SIDE_PIXELS_MIN / Math.max(width, height), SCALE_MAX);
  const scale = Math.min(Math.max(DPI / POINTS_PER_INCH, enlarged), Math.sqrt(PIXELS_MAX / (width * height)));
  if (scale * POINTS_PER_INCH >= DPI_MIN) return scale;
  throw new RenderingError('TOO_LARGE', `Page ${index + 1} is too large to be rendered legibly.`);
}
