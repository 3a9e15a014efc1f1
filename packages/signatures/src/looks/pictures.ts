import { unlessMalformed } from '@scriptorium/pdf/error';
import type { ReadRevision } from '@scriptorium/pdf/revisions';
import type { PagePicture, PictureRequest } from '@scriptorium/rendering/compare-revisions';
import type { SignatureEvidence } from '../evidence.ts';
import type { VerifyReply } from '../verify-report.ts';
import { touchedPages } from './touched-pages.ts';

/** Pictures that are planned; the renderer has bounds of its own. */
const PLANNED_MAX = 1_000;

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

/** The pictures of the reply, and how many are left out. */
export function shownPictures(
  planned: readonly PlannedPicture[],
  pictures: readonly (PagePicture | undefined)[],
): Pick<VerifyReply, 'pictures' | 'picturesLeftOut'> {
  const shown = planned.flatMap(({ revision, page }, index) => {
    const picture = pictures[index];
    if (picture === undefined) return [];
    const { png, width, height, differences } = picture;
    const base64 = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
    return [
      { revision, page: page + 1, contentType: 'image/png' as const, width, height, base64, differences },
    ];
  });
  const picturesLeftOut = planned.length - shown.length;
  return { pictures: shown, ...(picturesLeftOut > 0 && { picturesLeftOut }) };
}
