import { changedTiles, concealedTiles, differenceMask, inkTiles, type Tiles } from './compare-pages.ts';
import { hasDropped } from './pdfium.ts';
import { encodePng } from './png.ts';
import { outlined, type Raster, type Region } from './raster.ts';
import { loadFile, type RenderedFile, type RenderedPage, type RenderedPdf } from './rendered-pdf.ts';
import { type RenderingCode, RenderingError } from './rendering-error.ts';

/** Of the rasters that are kept for the next comparison. */
const KEPT_BYTES_MAX = 64 * 1024 * 1024;
/** Of the revisions that are open at a time. */
const OPEN_MAX = 3;
const PICTURES_MAX = 20;
/** Of all pictures, as PNG. */
const PICTURES_BYTES_MAX = 6 * 1024 * 1024;

/** A page of two revisions. Annotations are indices in the /Annots of the page. */
export interface PageComparison {
  /** From 0. */
  page: number;
  /** In the older revision: fields that may look different now. */
  fields: readonly number[];
  /** In the older revision: other annotations that were changed or are gone. */
  annotations: readonly number[];
  /** In the newer revision: fields and annotations that were added or changed. */
  added: readonly number[];
  /** Areas in which other readers draw annotations that PDFium does not: left, bottom, right and top in units of the page. */
  unsure: readonly (readonly [number, number, number, number])[];
  /** Whether the page may be printed otherwise than it is displayed. */
  isPrintedToo: boolean;
}

/** Two revisions, by their ends in the file, and the pages to compare. */
export interface RevisionComparison {
  before: number;
  now: number;
  pages: readonly PageComparison[];
}

/** A page of the revision that ends at `end`; `before` is the end of the one whose differences are marked. */
export interface PictureRequest {
  end: number;
  /** From 0. */
  page: number;
  before?: number | undefined;
}

export interface ComparisonRequest {
  bytes: Uint8Array;
  password?: string | undefined;
  comparisons: readonly RevisionComparison[];
  pictures: readonly PictureRequest[];
}

/** A page with content that does not look as it did, and is not what an update may add. */
export interface PageDifference {
  /** From 0. */
  page: number;
  /** In points of the page as it is displayed, from its upper left corner. */
  regions: Region[];
}

export interface ComparisonResult {
  differences: PageDifference[];
  /** The first reason why not all pages were compared. */
  failure?: { code: RenderingCode; message: string };
}

/** A page with frames around the regions that differ, which are in its pixels. */
export interface PagePicture {
  png: Uint8Array;
  width: number;
  height: number;
  differences: Region[];
}

/** What PDFium reads in the revision that ends at `end`. */
export interface Reading {
  end: number;
  pages: number;
  /** The byte ranges of the signatures that it finds. */
  signatures: number[][];
}

export interface ComparedRevisions {
  readings: Reading[];
  /** In the order of the request. */
  comparisons: ComparisonResult[];
  /** In the order of the request; undefined for those that are beyond a bound, or cannot be rendered. */
  pictures: (PagePicture | undefined)[];
  /** Whether the document has left much memory in this thread, which ends with the thread. */
  isSpent: boolean;
}

/**
 * Renders the pages of revisions of a PDF, and finds what does not look as it did. The first revision of a comparison decides:
 * what updates added may lie on it, but not conceal it. Failures are part of the result.
 */
export async function compareRevisions(request: ComparisonRequest): Promise<ComparedRevisions> {
  const { bytes, password, comparisons, pictures } = request;
  let file: RenderedFile;
  try {
    file = await loadFile(bytes, password);
  } catch (error) {
    const failure = failureOf(error);
    return {
      readings: [],
      comparisons: comparisons.map(() => ({ differences: [], failure })),
      pictures: pictures.map(() => undefined),
      isSpent: hasDropped(),
    };
  }
  const revisions = new OpenRevisions(file);
  const compared = comparisons.map((comparison) => compare(revisions, comparison));
  const drawn = picturesOf(revisions, pictures);
  revisions.close();
  return {
    readings: [...revisions.readings.values()],
    comparisons: compared,
    pictures: drawn,
    isSpent: hasDropped(),
  };
}

/** The newer revision of most comparisons is the last one: it stays open, and its pages are kept. */
class OpenRevisions {
  readonly readings = new Map<number, Reading>();
  readonly #file: RenderedFile;
  readonly #open = new Map<number, RenderedPdf>();
  readonly #kept = new Map<string, Raster>();
  #keptBytes = 0;

  constructor(file: RenderedFile) {
    this.#file = file;
  }

  open(end: number): RenderedPdf {
    const known = this.#open.get(end);
    if (known) {
      // The one that was used last is shut last.
      this.#open.delete(end);
      this.#open.set(end, known);
      return known;
    }
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= OPEN_MAX) this.#shut(oldest);
    const opened = this.#file.open(end);
    this.#open.set(end, opened);
    const { pages, signatures } = opened;
    this.readings.set(end, { end, pages, signatures });
    return opened;
  }

  /** Calls back with a page, and closes it. */
  page<T>(end: number, index: number, work: (page: RenderedPage) => T): T {
    const page = this.open(end).page(index);
    try {
      return work(page);
    } finally {
      page.close();
    }
  }

  /** The whole page, with all that it shows. */
  whole(end: number, index: number, page: RenderedPage, isPrinted = false): Raster {
    const key = `${end} ${index} ${isPrinted}`;
    const known = this.#kept.get(key);
    if (known) return known;
    const raster = page.render({ isPrinted });
    if (this.#keptBytes + raster.pixels.length > KEPT_BYTES_MAX) {
      this.#kept.clear();
      this.#keptBytes = 0;
    }
    this.#kept.set(key, raster);
    this.#keptBytes += raster.pixels.length;
    return raster;
  }

  close(): void {
    try {
      for (const end of [...this.#open.keys()]) this.#shut(end);
      this.#file.close();
    } catch (error) {
      // After an abort, the whole instance is dropped.
      failureOf(error);
    }
  }

  #shut(end: number): void {
    this.#open.get(end)?.close();
    this.#open.delete(end);
  }
}

function failureOf(error: unknown): NonNullable<ComparisonResult['failure']> {
  if (!(error instanceof RenderingError)) throw error;
  return { code: error.code, message: error.message };
}

function compare(revisions: OpenRevisions, { before, now, pages }: RevisionComparison): ComparisonResult {
  const result: ComparisonResult = { differences: [] };
  for (const each of pages) {
    try {
      const regions = revisions.page(before, each.page, (old) =>
        revisions.page(now, each.page, (current) =>
          differencesOf(revisions, { before, now, old, current }, each),
        ),
      );
      if (regions.length > 0) result.differences.push({ page: each.page, regions });
    } catch (error) {
      result.failure ??= failureOf(error);
      // PDFium aborted, and its memory is not sound.
      if (result.failure.code === 'FAILED') break;
    }
  }
  return result;
}

interface Pair {
  before: number;
  now: number;
  old: RenderedPage;
  current: RenderedPage;
}

/** In points. */
function differencesOf(revisions: OpenRevisions, pair: Pair, page: PageComparison): Region[] {
  const modes = page.isPrintedToo ? [false, true] : [false];
  const found = modes.flatMap((isPrinted) => unexplained(revisions, pair, page, isPrinted).regions());
  const { scale } = pair.old;
  const points = (pixels: number) => Math.round((pixels / scale) * 10) / 10;
  return found.map(({ x, y, width, height }) => ({
    x: points(x),
    y: points(y),
    width: points(width),
    height: points(height),
  }));
}

/**
 * Marks what no permitted update explains: without what updates changed, both revisions must look the same; what the older
 * one showed must still be seen, except in fields; other annotations that it had must look as they did; and where other readers
 * draw what PDFium does not, the page must be empty.
 */
function unexplained(
  revisions: OpenRevisions,
  { before, now, old, current }: Pair,
  { page, fields, annotations, added, unsure }: PageComparison,
  isPrinted: boolean,
): Tiles {
  const oldWhole = revisions.whole(before, page, old, isPrinted);
  const concealable = inkTiles(
    oldWhole,
    unsure.map((area) => old.regionOf(area)),
  );
  const newWhole = revisions.whole(now, page, current, isPrinted);
  if (changedTiles(oldWhole, newWhole).isEmpty) return concealable;
  const without = (of: RenderedPage, whole: Raster, hidden: readonly number[]) =>
    hidden.length === 0 ? whole : of.render({ hidden, isPrinted });
  const oldRest = without(old, oldWhole, [...fields, ...annotations]);
  const tiles = changedTiles(oldRest, without(current, newWhole, added));
  const oldNoFields = annotations.length === 0 ? oldRest : without(old, oldWhole, fields);
  const inFields = fields.length === 0 ? undefined : differenceMask(oldWhole, oldNoFields);
  tiles.add(concealable);
  tiles.add(concealedTiles(oldWhole, newWhole, inFields));
  if (annotations.length > 0) {
    const drawn = differenceMask(oldWhole, without(old, oldWhole, annotations));
    tiles.add(changedTiles(oldWhole, newWhole, drawn));
  }
  return tiles;
}

function picturesOf(
  revisions: OpenRevisions,
  requests: readonly PictureRequest[],
): (PagePicture | undefined)[] {
  let rest = PICTURES_BYTES_MAX;
  return requests.map((request, index) => {
    if (index >= PICTURES_MAX || rest <= 0) return undefined;
    try {
      const picture = pictureOf(revisions, request);
      rest -= picture.png.length;
      return rest >= 0 ? picture : undefined;
    } catch (error) {
      failureOf(error);
      return undefined;
    }
  });
}

function pictureOf(revisions: OpenRevisions, { end, page, before }: PictureRequest): PagePicture {
  const whole = (of: number) => revisions.page(of, page, (opened) => revisions.whole(of, page, opened));
  const now = whole(end);
  const differences = before === undefined ? [] : changedTiles(whole(before), now).regions();
  const { width, height } = now;
  return { png: encodePng(outlined(now, differences)), width, height, differences };
}
