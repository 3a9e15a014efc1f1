import { unlessMalformed } from '@scriptorium/pdf/error';
import type { ReadRevision } from '@scriptorium/pdf/revisions';
import {
  type ComparisonRequest,
  type PagePicture,
  PICTURES_BYTES_MAX,
  PICTURES_MAX,
  type PictureRequest,
} from '@scriptorium/rendering/compare-revisions';
import type { SignatureEvidence } from '../evidence.ts';
import type { SecondReader } from '../verification/verify-tools.ts';
import type { Picture, VerifyReply } from '../verify-report.ts';
import { touchedPages } from './touched-pages.ts';

/** Pictures that are planned; the renderer has bounds of its own. */
const PLANNED_MAX = 1_000;
/** Pages; each has two pictures by each reader. */
const DISAGREEMENTS_SHOWN_MAX = 3;
export const FIRST_READER = 'PDFium';

export interface PlannedPicture extends PictureRequest {
  revision: number;
}

/**
 * Plans the pictures of the pages that were changed since the first signature, page by page: as signed, and after each
 * revision that touched it.
 */
export function planPictures(
  signatures: readonly SignatureEvidence[],
  revisions: readonly ReadRevision[],
): PlannedPicture[] {
  const first = Math.min(...signatures.map(({ revision }) => revision));
  const signed = revisions[first - 1];
  if (signed === undefined) return [];
  const byPage = new Map<number, PlannedPicture[]>();
  for (const [index, after] of revisions.entries()) {
    const before = revisions[index - 1];
    if (before === undefined || after.number <= first) continue;
    const touched = unlessMalformed(() => touchedPages(before, after, [after])) ?? [];
    for (const { page } of touched) {
      const planned = byPage.get(page) ?? [{ revision: first, end: signed.end, page }];
      planned.push({ revision: after.number, end: after.end, page, before: before.end });
      byPage.set(page, planned);
    }
  }
  return [...byPage.values()].flat().slice(0, PLANNED_MAX);
}

/** A picture that is planned, as a reader drew it. */
interface DrawnPicture {
  planned: PlannedPicture;
  reader: string;
  picture: PagePicture | undefined;
}

/** What the first reader, PDFium, drew of what is planned. */
export const drawnByFirst = (
  planned: readonly PlannedPicture[],
  pictures: readonly (PagePicture | undefined)[],
): DrawnPicture[] =>
  planned.map((each, index) => ({ planned: each, reader: FIRST_READER, picture: pictures[index] }));

/** A page that looks as it was signed in the first reader only. */
export interface Disagreement {
  signed: ReadRevision;
  /** From 0. */
  page: number;
}

/** Pictures by both readers of pages on which they disagree: as signed, and as they are now. */
export async function drawnByBoth(
  disagreements: readonly Disagreement[],
  last: ReadRevision,
  file: Pick<ComparisonRequest, 'bytes' | 'password'>,
  readers: readonly SecondReader[],
): Promise<DrawnPicture[]> {
  const planned = disagreements.slice(0, DISAGREEMENTS_SHOWN_MAX).map(({ signed, page }) => [
    { revision: signed.number, end: signed.end, page },
    { revision: last.number, end: last.end, page, before: signed.end },
  ]);
  const found: DrawnPicture[] = [];
  for (const pair of planned) {
    for (const reader of readers) {
      const compared = await reader.compare({ ...file, comparisons: [], pictures: pair });
      if (typeof compared === 'string') continue;
      for (const [index, each] of pair.entries())
        found.push({ planned: each, reader: reader.name, picture: compared.pictures[index] });
    }
  }
  return found;
}

/** The pictures of the reply, and how many are left out. */
export function shownPictures(
  drawn: readonly DrawnPicture[],
): Pick<VerifyReply, 'pictures' | 'picturesLeftOut'> {
  let rest = PICTURES_BYTES_MAX;
  const shown: Picture[] = [];
  for (const { planned, reader, picture } of drawn) {
    if (picture === undefined || shown.length === PICTURES_MAX || picture.png.length > rest) continue;
    const { png, width, height, differences } = picture;
    rest -= png.length;
    const base64 = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    const { revision, page } = planned;
    const contentType = 'image/png';
    shown.push({ revision, page: page + 1, reader, contentType, width, height, base64, differences });
  }
  const picturesLeftOut = drawn.length - shown.length;
  return { pictures: shown, ...(picturesLeftOut > 0 && { picturesLeftOut }) };
}
