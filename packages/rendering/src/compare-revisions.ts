import { changedTiles, concealedTiles, differenceMask, inkTiles, type Tiles } from './compare-pages.ts';
import { failureOf, OpenRevisions, type Reading } from './open-revisions.ts';
import { type PagePicture, type PictureRequest, picturesOf } from './page-pictures.ts';
import { hasDropped } from './pdfium.ts';
import type { Raster, Region } from './raster.ts';
import type { LoadFile, ReaderFile, ReaderPage } from './reader.ts';
import { loadFile } from './rendered-pdf.ts';
import type { RenderingCode } from './rendering-error.ts';

export type { Reading } from './open-revisions.ts';
export type { PagePicture, PictureRequest } from './page-pictures.ts';

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
 * Renders the pages of revisions of a PDF, by default with PDFium, and finds what does not look as it did. The first revision of
 * a comparison decides: what updates added may lie on it, but not conceal it. Failures are part of the result.
 */
export async function compareRevisions(
  request: ComparisonRequest,
  load: LoadFile = loadFile,
): Promise<ComparedRevisions> {
  const { bytes, password, comparisons, pictures } = request;
  let file: ReaderFile;
  try {
    file = await load(bytes, password);
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
  const compared: ComparisonResult[] = [];
  for (const comparison of comparisons) compared.push(await compare(revisions, comparison));
  const drawn = await picturesOf(revisions, pictures);
  revisions.close();
  return {
    readings: [...revisions.readings.values()],
    comparisons: compared,
    pictures: drawn,
    isSpent: hasDropped(),
  };
}

async function compare(
  revisions: OpenRevisions,
  { before, now, pages }: RevisionComparison,
): Promise<ComparisonResult> {
  const result: ComparisonResult = { differences: [] };
  for (const each of pages) {
    try {
      const regions = await revisions.page(before, each.page, (old) =>
        revisions.page(now, each.page, (current) =>
          differencesOf(revisions, { before, now, old, current }, each),
        ),
      );
      if (regions.length > 0) result.differences.push({ page: each.page, regions });
    } catch (error) {
      result.failure ??= failureOf(error);
      // The reader ended, or its memory is not sound.
      if (result.failure.code === 'FAILED') break;
    }
  }
  return result;
}

interface Pair {
  before: number;
  now: number;
  old: ReaderPage;
  current: ReaderPage;
}

/** In points. */
async function differencesOf(revisions: OpenRevisions, pair: Pair, page: PageComparison): Promise<Region[]> {
  const found: Region[] = [];
  for (const isPrinted of page.isPrintedToo ? [false, true] : [false])
    found.push(...(await unexplained(revisions, pair, page, isPrinted)).regions());
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
async function unexplained(
  revisions: OpenRevisions,
  { before, now, old, current }: Pair,
  { page, fields, annotations, added, unsure }: PageComparison,
  isPrinted: boolean,
): Promise<Tiles> {
  const oldWhole = await revisions.whole(before, page, old, isPrinted);
  const concealable = inkTiles(
    oldWhole,
    unsure.flatMap((area) => old.regionOf?.(area) ?? []),
  );
  const newWhole = await revisions.whole(now, page, current, isPrinted);
  if (changedTiles(oldWhole, newWhole).isEmpty) return concealable;
  const without = async (of: ReaderPage, whole: Raster, hidden: readonly number[]) =>
    hidden.length === 0 ? whole : of.render({ hidden, isPrinted });
  const oldRest = await without(old, oldWhole, [...fields, ...annotations]);
  const tiles = changedTiles(oldRest, await without(current, newWhole, added));
  const oldNoFields = annotations.length === 0 ? oldRest : await without(old, oldWhole, fields);
  const inFields = fields.length === 0 ? undefined : differenceMask(oldWhole, oldNoFields);
  tiles.add(concealable);
  tiles.add(concealedTiles(oldWhole, newWhole, inFields));
  if (annotations.length > 0) {
    const drawn = differenceMask(oldWhole, await without(old, oldWhole, annotations));
    tiles.add(changedTiles(oldWhole, newWhole, drawn));
  }
  return tiles;
}
