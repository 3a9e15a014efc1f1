import { changedTiles, concealedTiles, differenceMask, inkTiles, regionAround } from './compare-pages.ts';
import { failureOf, OpenRevisions, type Reading } from './open-revisions.ts';
import { type PagePicture, type PictureRequest, picturesOf } from './page-pictures.ts';
import { hasDropped } from './pdfium.ts';
import { doubled, type Raster, type Region } from './raster.ts';
import type { LoadFile, ReaderFile, ReaderPage } from './reader.ts';
import { loadFile } from './rendered-pdf.ts';
import type { RenderingCode } from './rendering-error.ts';

export type { Reading } from './open-revisions.ts';
export {
  type PagePicture,
  PICTURES_BYTES_MAX,
  PICTURES_MAX,
  type PictureRequest,
} from './page-pictures.ts';

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
  /** For a reader that has digests: all other pages than these, which another comparison has, must be the same. */
  everyPageBut?: readonly number[];
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
  /** In points of the page as it is displayed, from its upper left corner. None if it only says something else. */
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

async function compare(revisions: OpenRevisions, comparison: RevisionComparison): Promise<ComparisonResult> {
  const result: ComparisonResult = { differences: [] };
  const { before, now, pages } = comparison;
  /** Returns false if the reader ended, or its memory is not sound. */
  const attempt = async (work: () => Promise<PageDifference | undefined>): Promise<boolean> => {
    try {
      const difference = await work();
      if (difference) result.differences.push(difference);
    } catch (error) {
      result.failure ??= failureOf(error);
    }
    return result.failure?.code !== 'FAILED';
  };
  for (const each of pages)
    if (!(await attempt(() => differenceOf(revisions, comparison, each)))) return result;
  if (!comparison.everyPageBut) return result;
  const touched = new Set([...pages.map(({ page }) => page), ...comparison.everyPageBut]);
  let count = 0;
  await attempt(async () => {
    count = Math.min((await revisions.open(before)).pages, (await revisions.open(now)).pages);
    return undefined;
  });
  for (let page = 0; page < count && result.failure === undefined; page++)
    if (!touched.has(page)) await attempt(() => otherDifference(revisions, comparison, page));
  return result;
}

/** A page that no update touched must look and say the same. */
async function otherDifference(
  revisions: OpenRevisions,
  comparison: RevisionComparison,
  page: number,
): Promise<PageDifference | undefined> {
  const { before, now } = comparison;
  const [old, current] = [await revisions.digests(before, page), await revisions.digests(now, page)];
  if (old?.text !== current?.text || old?.values !== current?.values) return { page, regions: [] };
  return old?.pictures === current?.pictures
    ? undefined
    : differenceOf(revisions, comparison, { ...UNTOUCHED, page });
}

const UNTOUCHED = { fields: [], annotations: [], added: [], unsure: [], isPrintedToo: true };

async function differenceOf(
  revisions: OpenRevisions,
  { before, now }: RevisionComparison,
  page: PageComparison,
): Promise<PageDifference | undefined> {
  return revisions.page(before, page.page, (old) =>
    revisions.page(now, page.page, async (current) => {
      const regions = await regionsOf(old, current, page);
      if (regions.length > 0) return { page: page.page, regions };
      const { fields, annotations, added } = page;
      // Text may be invisible.
      const isSame = await old.saysTheSame?.([...fields, ...annotations], current, added);
      return isSame === false ? { page: page.page, regions } : undefined;
    }),
  );
}

/** In points. */
async function regionsOf(old: ReaderPage, current: ReaderPage, page: PageComparison): Promise<Region[]> {
  const found: Region[] = [];
  for (const isPrinted of page.isPrintedToo ? [false, true] : [false])
    found.push(...(await unexplained(old, current, page, isPrinted)));
  const points = (pixels: number) => Math.round((pixels / old.scale) * 10) / 10;
  return found.map(({ x, y, width, height }) => ({
    x: points(x),
    y: points(y),
    width: points(width),
    height: points(height),
  }));
}

/**
 * Finds what no permitted update explains. Without what updates changed, both revisions must look the same. What the older one
 * showed must still be seen, except in fields. What its fields concealed must stay so. Other annotations that it had must look as
 * they did. Where other readers draw what PDFium does not, the page must be empty. Only the region in which the pages differ is
 * drawn at the full scale.
 */
async function unexplained(
  old: ReaderPage,
  current: ReaderPage,
  { fields, annotations, added, unsure }: PageComparison,
  isPrinted: boolean,
): Promise<Region[]> {
  const { width, height } = old;
  if (width !== current.width || height !== current.height) return [{ x: 0, y: 0, width, height }];
  const areas = unsure.flatMap((area) => old.regionOf?.(area) ?? []);
  const different = await old.differenceTo(current, isPrinted);
  const region = regionAround(different ? [...areas, doubled(different)] : areas, old);
  if (region === undefined) return [];
  const draw = (of: ReaderPage, hidden: readonly number[]) => of.render({ hidden, isPrinted, region });
  const oldWhole = await draw(old, []);
  const inRegion = (area: Region) => ({ ...area, x: area.x - region.x, y: area.y - region.y });
  const without = (of: ReaderPage, whole: Raster, hidden: readonly number[]) =>
    hidden.length === 0 ? whole : draw(of, hidden);
  const oldUnchanged = await without(old, oldWhole, annotations);
  const tiles = inkTiles(oldUnchanged, areas.map(inRegion));
  if (different) {
    const newWhole = await draw(current, []);
    const oldRest = await without(old, oldWhole, [...fields, ...annotations]);
    tiles.add(changedTiles(oldRest, await without(current, newWhole, added)));
    const oldNoFields = annotations.length === 0 ? oldRest : await without(old, oldWhole, fields);
    const inFields = fields.length === 0 ? undefined : differenceMask(oldWhole, oldNoFields);
    tiles.add(concealedTiles(oldWhole, newWhole, inFields));
    const revealed = concealedTiles(oldNoFields, oldWhole);
    revealed.remove(concealedTiles(oldNoFields, newWhole));
    tiles.add(revealed);
    if (annotations.length > 0) {
      tiles.add(changedTiles(oldWhole, newWhole, differenceMask(oldWhole, oldUnchanged)));
    }
  }
  return tiles.regions().map((area) => ({ ...area, x: area.x + region.x, y: area.y + region.y }));
}
